#!/usr/bin/env python3
"""The signatures of the worked prototypes of GE's interface, letter by letter, in C, C++ and Python.

signatures.py --golden FOLDER
"""

import argparse
import pathlib
import sys

L = "Union[TensorHolder, TensorLike]"
O = "Optional[Union[TensorHolder, TensorLike]] = None"
# operator: C, C++, Python
WANTED = {
    "Neg": (
        "EsCTensorHolder *EsNeg(EsCTensorHolder *x, int64_t k)",
        "EsTensorHolder Neg(const EsTensorHolder & x, int64_t k=3)",
        "def Neg(x: TensorHolder, *, k: int = 3) -> TensorHolder",
    ),
    "Pair": (
        "EsCTensorHolder *EsPair(EsCTensorHolder *a, EsCTensorHolder *b)",
        "EsTensorHolder Pair(const EsTensorLike & a, const EsTensorLike & b)",
        f"def Pair(a: {L}, b: {L}) -> TensorHolder",
    ),
    "Bias": (
        "EsCTensorHolder *EsBias(EsCTensorHolder *x, EsCTensorHolder *b)",
        "EsTensorHolder Bias(const EsTensorLike & x, const EsTensorLike & b=nullptr)",
        f"def Bias(x: {L}, b: {O}) -> TensorHolder",
    ),
    "BiasR": (
        "EsCTensorHolder *EsBiasR(EsCTensorHolder *x, EsCTensorHolder *b, bool f, C_DataType t)",
        "EsTensorHolder BiasR(const EsTensorLike & x, const EsTensorLike & b, bool f, ge::DataType t=ge::DT_FLOAT)",
        f"def BiasR(x: {L}, b: {O}, *, f: bool, t: DataType = DataType.DT_FLOAT) -> TensorHolder",
    ),
    "Opt2": (
        "EsCTensorHolder *EsOpt2(EsCTensorHolder *a, EsCTensorHolder *b, EsCGraphBuilder *owner_graph_builder)",
        "EsTensorHolder Opt2(const EsTensorLike & a=nullptr, const EsTensorLike & b=nullptr, "
        "const EsGraphBuilder * owner_builder=nullptr)",
        f"def Opt2(a: {O}, b: {O}, owner_builder: Optional[GraphBuilder] = None) -> TensorHolder",
    ),
    "Opt1R": (
        "EsCTensorHolder *EsOpt1R(EsCTensorHolder *a, EsCGraphBuilder *owner_graph_builder, bool f)",
        "EsTensorHolder Opt1R(const EsTensorLike & a, const EsGraphBuilder * owner_builder, bool f)",
        f"def Opt1R(a: {O}, owner_builder: Optional[GraphBuilder] = None, *, f: bool) -> TensorHolder",
    ),
    "Gap": (
        "EsCTensorHolder *EsGap(EsCTensorHolder *a, EsCTensorHolder *b, EsCTensorHolder *c)",
        "EsTensorHolder Gap(const EsTensorLike & a, const EsTensorLike & b, const EsTensorLike & c)",
        f"def Gap(a: {L}, b: {L}, c: {L}) -> TensorHolder",
    ),
    "Gen": (
        "EsCTensorHolder *EsGen(EsCGraphBuilder *owner_graph_builder, const int64_t *li, int64_t li_num, const bool *lb, "
        "int64_t lb_num)",
        "EsTensorHolder Gen(const EsGraphBuilder & owner_builder, const std::vector<int64_t> & li={1, 2}, "
        "const std::vector<uint8_t> & lb={true})",
        "def Gen(owner_graph_builder: GraphBuilder, *, li: List[int] = [1, 2], lb: List[bool] = [True]) -> TensorHolder",
    ),
    "Cat": (
        "EsCTensorHolder *EsCat(EsCTensorHolder **x, int64_t x_num, int64_t axis)",
        "EsTensorHolder Cat(const std::vector<EsTensorHolder> & x, int64_t axis)",
        "def Cat(x: List[TensorHolder], *, axis: int) -> TensorHolder",
    ),
    "Cut": (
        "EsCutOutput EsCut(EsCTensorHolder *x, int64_t y_num)",
        "std::vector<EsTensorHolder> Cut(const EsTensorHolder & x, int64_t y_num)",
        "def Cut(x: TensorHolder, y_num: int) -> List[TensorHolder]",
    ),
    "Mix": (
        "EsMixOutput EsMix(EsCTensorHolder *x, EsCTensorHolder **w, int64_t w_num, int64_t z_num, EsCTensor *v)",
        "MixOutput Mix(const EsTensorLike & x, const std::vector<EsTensorHolder> & w, int64_t z_num, "
        "std::unique_ptr<ge::Tensor> v=EsMakeUnique<ge::Tensor>(ge::Tensor()))",
        # A fresh Tensor() per call: None stands for it.
        f"def Mix(x: {L}, w: List[{L}], z_num: int, *, v: Optional[Tensor] = None) -> MixOutput",
    ),
    "Br": (
        "EsBrOutput EsBr(EsCTensorHolder *c, EsCTensorHolder **in, int64_t in_num, int64_t out_num, EsCGraph *t, "
        "EsCGraph **bs, int64_t bs_num)",
        "std::vector<EsTensorHolder> Br(const EsTensorLike & c, const std::vector<EsTensorHolder> & in, int64_t out_num, "
        "std::unique_ptr<ge::Graph> t, std::vector<std::unique_ptr<ge::Graph>> bs)",
        f"def Br(c: {L}, in_in: List[{L}], out_num: int, t: Graph, bs: List[Graph]) -> List[TensorHolder]",
    ),
    "Lst": (
        "EsCTensorHolder *EsLst(EsCTensorHolder *x, const int64_t **m, int64_t m_num, const int64_t *m_inner_num, "
        "const char **s, int64_t s_num)",
        "EsTensorHolder Lst(const EsTensorHolder & x, const std::vector<std::vector<int64_t>> & m, "
        "const std::vector<const char *> & s)",
        "def Lst(x: TensorHolder, *, m: List[List[int]], s: List[str]) -> TensorHolder",
    ),
    "Kw": (
        "EsKwOutput EsKw(EsCTensorHolder *in_for, EsCTensorHolder **in_case, int64_t in_case_num, int64_t out_if_num, "
        "EsCGraph *subgraph_or, int64_t attr_not)",
        "KwOutput Kw(const EsTensorLike & in_for, const std::vector<EsTensorHolder> & in_case, int64_t out_if_num, "
        "std::unique_ptr<ge::Graph> subgraph_or, int64_t attr_not=0)",
        f"def Kw(in_for: {L}, case: List[{L}], out_if_num: int, subgraph_or: Graph, *, attr_not: int = 0) -> KwOutput",
    ),
    "Dup": (
        "EsDupOutput EsDup(EsCTensorHolder *x, int64_t ref_x_num, int64_t attr_x)",
        "std::vector<EsTensorHolder> Dup(const EsTensorHolder & x, int64_t ref_x_num, int64_t attr_x=1)",
        "def Dup(x: TensorHolder, ref_x_num: int, *, attr_x: int = 1) -> List[TensorHolder]",
    ),
}
STRUCTS = {
    "Mix": "struct MixOutput {\n  EsTensorHolder y;\n  std::vector<EsTensorHolder> z;\n  EsTensorHolder s;\n};",
    "Kw": "struct KwOutput {\n  EsTensorHolder out_break;\n  std::vector<EsTensorHolder> out_if;\n};",
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--golden", required=True)
    folder = pathlib.Path(parser.parse_args().golden)
    failures = []

    def check(op, tail, text):
        path = folder / f"es_Tiny{op}{tail}.golden"
        if text not in path.read_text().replace(f"Tiny{op}", op):
            failures.append(f"{path.name} lacks: {text}")

    for op, (c, cpp, python) in WANTED.items():
        check(op, "_c.h", f"GE_API {c};")
        check(op, ".h", f"\ninline {cpp} {{")
        check(op, ".py", f"\n{python}:")
    for op, text in STRUCTS.items():
        check(op, ".h", text)
    report = (folder / "es_tiny_ops.h.golden").read_text()
    for line in (
        " * Unsupported ops and reasons: \n",
        " * Does not support V1 control Operators(1): [Enter, ]\n",
        " * Following Operators already provided creation functions(1): [Variable, ]\n",
        " * Unsupported attr type: VT_BYTES(1): [TinyBytes, ]\n",
        " * Unsupported attr type: VT_LIST_TENSOR(1): [TinyTensors, ]\n",
    ):
        if line not in report:
            failures.append(f"the report lacks: {line!r}")
    if "Data" in report:
        failures.append("Data is reported; it is left out silently")
    print("\n".join(failures) or f"{len(WANTED)} operators")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
