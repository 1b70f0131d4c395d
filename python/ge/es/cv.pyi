from es_cv.es_cv_ops import *  # noqa: F403
