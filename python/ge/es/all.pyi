from es_all.es_all_ops import *  # noqa: F403
