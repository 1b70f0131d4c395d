"""Runs the machine code that fused programs are generated to, instruction by instruction, as objdump reads it: what a
processor with AVX-512 would do, on any processor. Knows the instructions that this code has, and no others."""

import re
import subprocess

import numpy as np

LANES = 16
CODE, ROWS, STACK, DATA = 0x1000, 0x40000, 0x60000, 0x80000  # addresses
END = 0xFFFF  # where the function returns to
COMPARE = {
    "eq": lambda a, b: a == b, "neq_oq": lambda a, b: (a != b) & ~np.isnan(a) & ~np.isnan(b), "lt_oq": np.less,
    "le_oq": np.less_equal, "gt_oq": np.greater, "ge_oq": np.greater_equal,
    "unord": lambda a, b: np.isnan(a) | np.isnan(b),
}  # fmt: skip
# The second operand where one is NaN, and of two zeros.
FLOATS = {
    "vaddps": np.add, "vsubps": np.subtract, "vmulps": np.multiply, "vdivps": np.divide,
    "vmaxps": lambda a, b: np.where(a > b, a, b), "vminps": lambda a, b: np.where(a < b, a, b),
}  # fmt: skip
INTEGERS = {
    "vandps": np.bitwise_and, "vorps": np.bitwise_or, "vxorps": np.bitwise_xor, "vandnps": lambda a, b: ~a & b,
    "vpaddd": np.add, "vpsubd": np.subtract,
}  # fmt: skip
WHOLE = {"add": int.__add__, "sub": int.__sub__, "dec": int.__sub__, "and": int.__and__, "xor": int.__xor__,
         "shr": int.__rshift__}  # fmt: skip
ROUND = {8: np.rint, 9: np.floor, 10: np.ceil}


def disassemble(path):
    """Address -> (mnemonic, operands), of raw bytes."""
    command = ["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn", str(path)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    code = {}
    for line in listing.splitlines():
        found = re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line)
        if found:
            operands = re.sub(r"\[rip\+0x[0-9a-f]+\](.*?)\s+# 0x([0-9a-f]+)", r"[rip:\2]\1", found[3])
            code[int(found[1], 16)] = (found[2], [o.strip() for o in operands.split(",")] if operands else [])
    return code


class Machine:
    def __init__(self, path, memory=1 << 20):
        self.code = disassemble(path)
        self.memory = np.zeros(memory, np.uint8)
        self.write(CODE, np.fromfile(path, np.uint8))
        self.next = {address: later for address, later in zip(sorted(self.code), sorted(self.code)[1:])}
        self.r = {"rdi": ROWS, "rsp": STACK, "rip": CODE}
        self.v = np.zeros((32, LANES), np.uint32)
        self.k = [0] * 8
        self.difference = 0

    def write(self, address, data):
        raw = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        self.memory[address : address + raw.size] = raw

    def read(self, address, count, dtype):
        size = count * np.dtype(dtype).itemsize
        assert 0 <= address and address + size <= self.memory.size
        return self.memory[address : address + size].view(dtype).copy()

    def run(self):
        self.push(END)
        at = 0
        while at != END:
            name, operands = self.code[at]
            target = self.step(name, operands)
            at = self.next[at] if target is None else target

    # ---- integers ----

    def address(self, operand):
        inside = re.search(r"\[(.*)\]", operand)[1]
        if inside.startswith("rip:"):
            return CODE + int(inside[4:], 16)
        total = 0
        for sign, term in re.findall(r"([+-]?)([^+-]+)", inside):
            name, _, scale = term.partition("*")
            value = (self.r[name] if name in self.r else int(name, 0)) * int(scale or 1)
            total += -value if sign == "-" else value
        return total

    def whole(self, operand):
        """The value of a register of 32 or 64 bits, of memory or of a number, as a signed one."""
        if "[" in operand:
            return int(self.read(self.address(operand), 1, np.int64)[0])
        if operand in self.r:
            return self.r[operand]
        if operand[0] == "e":
            return self.r.get("r" + operand[1:], 0) & 0xFFFFFFFF
        value = int(operand, 0)
        return value - (1 << 64) if value >= 1 << 63 else value

    def store(self, operand, value):
        if "[" in operand:
            self.write(self.address(operand), np.array([value], np.int64))
        else:
            self.r["r" + operand[1:] if operand[0] == "e" else operand] = value

    def push(self, value):
        self.r["rsp"] -= 8
        self.write(self.r["rsp"], np.array([value], np.int64))

    def pop(self):
        self.r["rsp"] += 8
        return int(self.read(self.r["rsp"] - 8, 1, np.int64)[0])

    def of_integers(self, name, o):
        """Where the next instruction is, unless it follows."""
        if name == "ret":
            return self.pop()
        if name == "push":
            self.push(self.r.get(o[0], 0))
        elif name == "pop":
            self.r[o[0]] = self.pop()
        elif name == "mov":
            self.store(o[0], self.whole(o[1]))
        elif name == "lea":
            self.store(o[0], self.address(o[1]))
        elif name == "cmp":
            self.difference = self.whole(o[0]) - self.whole(o[1])
        elif name in ("jg", "jle", "jne"):
            taken = {"jg": self.difference > 0, "jle": self.difference <= 0, "jne": self.difference != 0}[name]
            return int(o[0], 16) if taken else None
        elif name == "bzhi":
            self.store(o[0], self.whole(o[1]) & ((1 << (self.whole(o[2]) & 0xFF)) - 1))
        else:
            x, y = self.whole(o[0]), self.whole(o[1]) if len(o) > 1 else 1
            value = WHOLE[name](x, y)
            self.store(o[0], value)
            self.difference = value
        return None

    # ---- vectors ----

    def bits(self, operand, mask=0xFFFF):
        if "[" not in operand:
            return self.v[int(re.match(r"zmm(\d+)", operand)[1])]
        place = self.address(operand)
        # Lanes that a mask leaves out are not read.
        return np.array([self.read(place + 4 * i, 1, np.uint32)[0] if mask >> i & 1 else 0 for i in range(LANES)], np.uint32)

    def step(self, name, o):
        if name.startswith("nop") or name in ("vzeroupper", "xchg", "cs", "data16"):
            return None
        if name == "kmovw":
            self.k[int(o[0][1])] = self.whole(o[1]) & 0xFFFF
        elif name == "knotw":
            self.k[int(o[0][1])] = ~self.k[int(o[1][1])] & 0xFFFF
        elif name.startswith("vcmp"):
            a, b = (self.bits(x).view(np.float32) for x in o[1:])
            truth = COMPARE[name[4:-2]](a, b)
            self.k[int(o[0][1])] = sum(1 << i for i in range(LANES) if truth[i])
        elif name[0] == "v":
            self.vector(name, o)
        else:
            return self.of_integers(name, o)
        return None

    def vector(self, name, o):
        found = re.search(r"\{k(\d)\}(\{z\})?", o[0])
        mask = self.k[int(found[1])] if found else 0xFFFF
        chosen = np.array([mask >> i & 1 for i in range(LANES)], bool)
        if name == "vblendmps":
            return self.put(o[0], np.where(chosen, self.bits(o[2]), self.bits(o[1])))
        value = self.value(name, o, mask)
        if "[" in o[0]:
            for i in np.flatnonzero(chosen):
                self.write(self.address(o[0]) + 4 * int(i), value[i : i + 1])
            return None
        assert not found or found[2], "lanes that are left as they are"
        return self.put(o[0], np.where(chosen, value, 0))

    def put(self, operand, value):
        self.v[int(re.match(r"zmm(\d+)", operand)[1])] = value

    def value(self, name, o, mask):
        if name in ("vmovups", "vmovaps"):
            assert name == "vmovups" or "[" not in o[1]
            return self.bits(o[1], mask)
        if name == "vbroadcastss":
            return np.full(LANES, self.read(self.address(o[1]), 1, np.uint32)[0])
        if name in ("vpslld", "vpsrad"):
            x, by = self.bits(o[1]).view(np.int32), int(o[2], 0)
            return (x << by if name == "vpslld" else x >> by).view(np.uint32)
        if name in INTEGERS:
            return INTEGERS[name](self.bits(o[1]), self.bits(o[2]))
        x = [self.bits(p).view(np.float32) for p in o if not p.startswith("0x")]
        with np.errstate(all="ignore"):
            if name in FLOATS:
                y = FLOATS[name](x[1], x[2])
            elif name == "vsqrtps":
                y = np.sqrt(x[1])
            elif name == "vrndscaleps":
                y = ROUND[int(o[2], 0)](x[1])
            else:
                form = re.fullmatch(r"vf(n?)madd(132|213|231)ps", name)
                a, b, c = (x[int(i) - 1].astype(np.float64) for i in form[2])
                y = (c - a * b if form[1] else a * b + c).astype(np.float32)
        return y.astype(np.float32).view(np.uint32)
