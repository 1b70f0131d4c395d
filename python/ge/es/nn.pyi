from es_nn.es_nn_ops import *  # noqa: F403
