from es_transformer.es_transformer_ops import *  # noqa: F403
