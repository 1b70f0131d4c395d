from es_math.es_math_ops import *  # noqa: F403
