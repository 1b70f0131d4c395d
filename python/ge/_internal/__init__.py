"""What the kinds of plug-ins written in Python share."""
