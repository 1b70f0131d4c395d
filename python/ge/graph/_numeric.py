"""IEEE half precision from Python floats."""

import math
import struct


def float_to_fp16_bits(value) -> int:
    """Bits of the nearest half (ties to even); too large a number becomes infinity, too small a one zero."""
    value = float(value)
    if math.isnan(value):
        return 0xFE00 if math.copysign(1.0, value) < 0 else 0x7E00
    try:
        return struct.unpack("<H", struct.pack("<e", value))[0]
    except OverflowError:
        return 0xFC00 if value < 0 else 0x7C00


def float_list_to_fp16_bits(values) -> list:
    """The same for each of a list."""
    return [float_to_fp16_bits(v) for v in values]
