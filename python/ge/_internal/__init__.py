"""Parts that the kinds of plug-ins written in Python share."""
