set_target_properties(${target} PROPERTIES GE_LINK "gomp")
