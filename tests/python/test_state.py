"""State in the caller's memory: the cache of a decoder that a run updates where it lies, against NumPy."""

import numpy as np
import pytest

import ge
import ge.es.all as es
from ge.error import GeError
from ge.es import GraphBuilder, InputType
from ge.graph import DataType

LENGTH, HEADS, WIDTH = 1024, 8, 64
F32 = np.float32


def decoder(old_keys_too=False):
    """One step: this position's keys and values go to the caches, then attention over all positions so far."""
    b = GraphBuilder("decoder")
    one = [1, HEADS, WIDTH]
    q, k, v = (b.create_input(i, name=n, shape=one) for i, n in enumerate("qkv"))
    position = b.create_input(3, name="position", data_type=DataType.DT_INT32, shape=[1])
    mask = b.create_input(4, name="mask", shape=[LENGTH])
    caches = [
        b.create_input(i, name=n, type_str=InputType.REF_DATA, data_type=DataType.DT_FLOAT, shape=[LENGTH, HEADS, WIDTH])
        for i, n in ((5, "keys"), (6, "values"))
    ]
    old = es.ReduceSum(caches[0] * caches[0], b.create_vector_int64([0])) if old_keys_too else None
    keys, values = (es.ScatterUpdate(cache, position, new) for cache, new in zip(caches, (k, v)))
    scores = es.BatchMatMulV2(
        es.Transpose(q, b.create_vector_int64([1, 0, 2])), es.Transpose(keys, b.create_vector_int64([1, 2, 0]))
    )
    weights = es.SoftmaxV2(scores * 0.125 + mask, axes=[-1])
    outputs = [es.BatchMatMulV2(weights, es.Transpose(values, b.create_vector_int64([1, 0, 2])))]
    if old_keys_too:
        outputs.append(old)
    return b.build_and_reset(outputs)


def attention(q, keys, values, count):
    scores = np.einsum("ohd,lhd->hol", q, keys[:count]) / 8
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("hol,lhd->hod", weights / weights.sum(-1, keepdims=True), values[:count])


class Steps:
    def __init__(self, seed=5):
        self.random = np.random.default_rng(seed)
        self.keys, self.values = (np.zeros((LENGTH, HEADS, WIDTH), F32) for _ in range(2))
        self.count = 0

    def feed(self):
        q, k, v = (self.random.standard_normal((1, HEADS, WIDTH)).astype(F32) for _ in range(3))
        self.keys[self.count], self.values[self.count] = k[0], v[0]
        mask = np.where(np.arange(LENGTH) <= self.count, 0, -1e9).astype(F32)
        feed = {"q": q, "k": k, "v": v, "position": np.array([self.count], np.int32), "mask": mask}
        self.count += 1
        return feed, attention(q, self.keys, self.values, self.count)


def outputs(result):
    return list(result.values())


@pytest.mark.parametrize("options, in_place", [({}, 2), ({"ge.exec.disableReuseMemory": "1"}, 0)])
def test_fifty_steps_of_a_decoder(options, in_place):
    model, steps = ge.load(decoder(), options), Steps()
    keys, values = (np.zeros((LENGTH, HEADS, WIDTH), F32) for _ in range(2))
    where = keys.ctypes.data, values.ctypes.data
    for _ in range(50):
        feed, right = steps.feed()
        np.testing.assert_allclose(outputs(model.run({**feed, "keys": keys, "values": values}))[0], right, rtol=1e-4, atol=1e-5)
    assert (keys.ctypes.data, values.ctypes.data) == where
    np.testing.assert_array_equal(keys, steps.keys)
    np.testing.assert_array_equal(values, steps.values)
    memory = model.report()["memory"]
    assert memory["states_in_place"] == in_place
    if in_place:  # neither cache has a second place
        assert memory["output_copies"] == 0


def test_one_cache_given_twice_is_not_updated_too_early():
    """Both caches are one array: the two updates are made apart, and the second one is written back last."""
    model, steps = ge.load(decoder()), Steps()
    cache = np.zeros((LENGTH, HEADS, WIDTH), F32)
    for _ in range(3):
        before = cache.copy()
        feed, _ = steps.feed()
        got = outputs(model.run({**feed, "keys": cache, "values": cache}))[0]
        keys, values = before.copy(), before.copy()
        keys[steps.count - 1], values[steps.count - 1] = feed["k"][0], feed["v"][0]
        np.testing.assert_allclose(got, attention(feed["q"], keys, values, steps.count), rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(cache, values)


def test_old_content_that_is_read_after_the_update_is_kept_for_it():
    model, steps = ge.load(decoder(old_keys_too=True)), Steps()
    keys, values = (np.zeros((LENGTH, HEADS, WIDTH), F32) for _ in range(2))
    for _ in range(3):
        before = keys.copy()
        feed, right = steps.feed()
        got = outputs(model.run({**feed, "keys": keys, "values": values}))
        np.testing.assert_allclose(got[0], right, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(got[1], (before**2).sum(0), rtol=1e-4)
        np.testing.assert_array_equal(keys, steps.keys)


def test_a_position_outside_is_refused_and_changes_nothing():
    model, steps = ge.load(decoder()), Steps()
    feed, _ = steps.feed()
    keys, values = (np.ones((LENGTH, HEADS, WIDTH), F32) for _ in range(2))
    feed["position"][0] = LENGTH
    with pytest.raises(GeError, match="ScatterUpdate.*1024.*out of range"):
        model.run({**feed, "keys": keys, "values": values})
    assert (keys == 1).all() and (values == 1).all()
