/* In: bytes of x86-64 code. Out: an instruction's length and what it does to the stack. Formats and
 * opcode maps: Intel manual, volume 2, chapter 2 and appendix A. */
#include "unwind/insn_x86_64.h"

#include <string.h>

/* What follows an opcode. */
enum form {
	HAS_MODRM = 1,
	HAS_IMM8 = 2,
	HAS_IMM16 = 4,
	HAS_IMM32 = 8,     /* 16 bits with the operand size prefix */
	HAS_IMM_REG = 16,  /* as long as the register */
	HAS_ADDRESS = 32,  /* as long as an address */
	HAS_TEST_IMM = 64, /* an immediate if ModRM's middle bits are 0 or 1 */
	IS_BAD = 128,
};

enum opcode_map { MAP_ONE_BYTE, MAP_0F, MAP_0F38, MAP_0F3A };
enum { NO_BASE = INSN_NO_REG };

struct decoder {
	const uint8_t *code;
	size_t len, at;
	bool opsize, addrsize, vex;
	bool wide; /* REX.W */
	uint8_t rex_r, rex_x, rex_b;
	uint8_t map; /* enum opcode_map */
	uint8_t op;
	/* ModRM */
	uint8_t mod, reg, rm; /* registers with their REX bits */
	uint8_t base;         /* of the memory operand, if it is a base and disp alone */
	bool by_ip;           /* the memory operand is at a fixed distance */
	int32_t disp;
	int32_t imm;
};

/* By number in an instruction → the kernel's. */
static const uint8_t perf_reg[16] = { 0, 2, 3, 1, 7, 6, 4, 5, 16, 17, 18, 19, 20, 21, 22, 23 };

static bool next_byte(struct decoder *d, uint8_t *ret)
{
	if (d->at >= d->len)
		return false;
	*ret = d->code[d->at++];
	return true;
}

/* Little-endian and signed; of more than 4 bytes the low ones. */
static bool next_number(struct decoder *d, size_t len, int32_t *ret)
{
	uint32_t v = 0;

	if (d->len - d->at < len)
		return false;
	for (size_t i = 0; i < len && i < sizeof(v); i++)
		v |= (uint32_t)d->code[d->at + i] << 8 * i;
	d->at += len;
	*ret = len == 1 ? (int8_t)v : len == 2 ? (int16_t)v : (int32_t)v;
	return true;
}

static unsigned int form_one_byte(uint8_t op)
{
	static const uint8_t arithmetic[8] = { HAS_MODRM, HAS_MODRM, HAS_MODRM, HAS_MODRM,
					       HAS_IMM8,  HAS_IMM32, IS_BAD,    IS_BAD };

	switch (op) {
	case 0x00 ... 0x3f:
		return arithmetic[op & 7];
	case 0x63:
	case 0x84 ... 0x8f:
	case 0xd0 ... 0xd3:
	case 0xd8 ... 0xdf:
	case 0xfe ... 0xff:
		return HAS_MODRM;
	case 0x68:
	case 0xa9:
	case 0xe8 ... 0xe9:
		return HAS_IMM32;
	case 0x69:
	case 0x81:
	case 0xc7:
		return HAS_MODRM | HAS_IMM32;
	case 0x6a:
	case 0x70 ... 0x7f:
	case 0xa8:
	case 0xb0 ... 0xb7:
	case 0xcd:
	case 0xe0 ... 0xe7:
	case 0xeb:
		return HAS_IMM8;
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xc0 ... 0xc1:
	case 0xc6:
		return HAS_MODRM | HAS_IMM8;
	case 0xa0 ... 0xa3:
		return HAS_ADDRESS;
	case 0xb8 ... 0xbf:
		return HAS_IMM_REG;
	case 0xc2:
	case 0xca:
		return HAS_IMM16;
	case 0xf6 ... 0xf7:
		return HAS_MODRM | HAS_TEST_IMM;
	case 0x60 ... 0x62:
	case 0x82:
	case 0x9a:
	case 0xc4 ... 0xc5:
	case 0xc8:
	case 0xce:
	case 0xd4 ... 0xd6:
	case 0xea:
		return IS_BAD;
	default:
		return 0;
	}
}

static unsigned int form_0f(uint8_t op, bool vex)
{
	switch (op) {
	case 0x05 ... 0x09:
	case 0x0b:
	case 0x0e:
	case 0x30 ... 0x37:
	case 0x77:
	case 0xa0 ... 0xa2:
	case 0xa8 ... 0xaa:
	case 0xc8 ... 0xcf:
		return vex && op != 0x77 ? HAS_MODRM : 0;
	case 0x70 ... 0x73:
	case 0xa4:
	case 0xac:
	case 0xba:
	case 0xc2:
	case 0xc4 ... 0xc6:
		return HAS_MODRM | HAS_IMM8;
	case 0x80 ... 0x8f:
		return vex ? HAS_MODRM : HAS_IMM32;
	case 0x04:
	case 0x0a:
	case 0x0c:
	case 0x0f:
	case 0x24 ... 0x27:
	case 0x39:
	case 0x3b ... 0x3f:
		return IS_BAD;
	default:
		return HAS_MODRM;
	}
}

static unsigned int form_of(const struct decoder *d)
{
	switch ((enum opcode_map)d->map) {
	case MAP_ONE_BYTE:
		return form_one_byte(d->op);
	case MAP_0F:
		return form_0f(d->op, d->vex);
	case MAP_0F38:
		return HAS_MODRM;
	case MAP_0F3A:
		break;
	}
	return HAS_MODRM | HAS_IMM8;
}

static bool read_prefixes(struct decoder *d, uint8_t *op)
{
	while (next_byte(d, op)) {
		switch (*op) {
		case 0x66:
			d->opsize = true;
			break;
		case 0x67:
			d->addrsize = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64 ... 0x65:
		case 0xf0:
		case 0xf2 ... 0xf3:
			break;
		case 0x40 ... 0x4f:
			d->wide = *op & 8;
			d->rex_r = (*op & 4) << 1;
			d->rex_x = (*op & 2) << 2;
			d->rex_b = (*op & 1) << 3;
			return next_byte(d, op);
		default:
			return true;
		}
	}
	return false;
}

/* C5, C4, 62 and AMD's 8F: the prefixes that hold the opcode's map. Maps 5, 6 and 9 are like 0F38,
 * 8 is like 0F3A. */
static bool read_vex(struct decoder *d, uint8_t first)
{
	enum { XOP_IMM8 = 8, XOP = 9, XOP_IMM32 = 10 };
	uint8_t p[3] = { 0 };
	size_t n = first == 0xc5 ? 1 : first == 0x62 ? 3 : 2;

	for (size_t i = 0; i < n; i++)
		if (!next_byte(d, &p[i]))
			return false;
	unsigned int map = n == 1 ? MAP_0F : p[0] & (n == 2 ? 0x1f : 0x07);

	d->vex = true;
	d->rex_r = (~p[0] & 0x80) >> 4;
	d->rex_x = n == 1 ? 0 : (~p[0] & 0x40) >> 3;
	d->rex_b = n == 1 ? 0 : (~p[0] & 0x20) >> 2;
	d->map = map == XOP_IMM8 ? MAP_0F3A : map > MAP_0F3A ? MAP_0F38 : (uint8_t)map;
	return map != MAP_ONE_BYTE && map < XOP_IMM32 && next_byte(d, &d->op);
}

static bool read_opcode(struct decoder *d)
{
	uint8_t op;

	if (!read_prefixes(d, &op))
		return false;
	bool xop = op == 0x8f && d->at < d->len && (d->code[d->at] & 0x18);

	if (op == 0xc4 || op == 0xc5 || op == 0x62 || xop)
		return read_vex(d, op);
	d->op = op;
	if (op != 0x0f)
		return true;
	d->map = MAP_0F;
	if (!next_byte(d, &d->op))
		return false;
	if (d->op != 0x38 && d->op != 0x3a)
		return true;
	d->map = d->op == 0x38 ? MAP_0F38 : MAP_0F3A;
	return next_byte(d, &d->op);
}

static bool read_modrm(struct decoder *d)
{
	uint8_t modrm, sib;
	size_t disp_len;

	if (!next_byte(d, &modrm))
		return false;
	d->mod = modrm >> 6;
	d->reg = (modrm >> 3 & 7) | d->rex_r;
	d->rm = (modrm & 7) | d->rex_b;
	if (d->mod == 3)
		return true;
	disp_len = d->mod == 1 ? 1 : d->mod == 2 ? 4 : 0;
	d->base = d->rm;
	if ((modrm & 7) == 4) {
		if (!next_byte(d, &sib))
			return false;
		bool indexed = ((sib >> 3 & 7) | d->rex_x) != 4;

		d->base = (sib & 7) | d->rex_b;
		if (!d->mod && (sib & 7) == 5) {
			disp_len = 4;
			indexed = true;
		}
		if (indexed)
			d->base = NO_BASE;
	} else if (!d->mod && (modrm & 7) == 5) {
		disp_len = 4;
		d->base = NO_BASE;
		d->by_ip = true;
	}
	return next_number(d, disp_len, &d->disp);
}

static bool read_immediate(struct decoder *d, unsigned int form)
{
	size_t len = 0;

	if (form & HAS_TEST_IMM && (d->reg & 7) < 2)
		form |= d->op & 1 ? HAS_IMM32 : HAS_IMM8;
	if (form & HAS_IMM8)
		len = 1;
	else if (form & HAS_IMM16)
		len = 2;
	else if (form & HAS_IMM32) /* a jump's is of 4 bytes always */
		len = d->opsize && !d->wide && d->op != 0xe8 && d->op != 0xe9 && !d->map ? 2 : 4;
	else if (form & HAS_IMM_REG)
		len = d->wide ? 8 : d->opsize ? 2 : 4;
	else if (form & HAS_ADDRESS)
		len = d->addrsize ? 4 : 8;
	return next_number(d, len, &d->imm);
}

static void put(struct insn *ret, enum insn_kind kind, uint8_t dst, uint8_t base, int32_t disp)
{
	ret->kind = kind;
	ret->dst = dst == INSN_NO_REG ? dst : perf_reg[dst];
	ret->base = base == INSN_NO_REG ? base : perf_reg[base];
	ret->disp = disp;
}

static void put_jump(struct insn *ret, enum insn_kind kind, int32_t disp)
{
	put(ret, kind, INSN_NO_REG, INSN_NO_REG, disp);
}

static void put_plain(struct insn *ret, enum insn_kind kind)
{
	put(ret, kind, INSN_NO_REG, INSN_NO_REG, 0);
}

/* FF and 8F: calls, jumps, pushes and pops of memory. */
static bool effect_ff(const struct decoder *d, struct insn *ret)
{
	switch (d->reg & 7) {
	case 0:
	case 1:
		if (d->mod == 3)
			put(ret, INSN_LOSE, d->rm, INSN_NO_REG, 0);
		return true;
	case 2:
	case 3:
		put_plain(ret, INSN_CALL);
		return true;
	case 4:
		put_plain(ret, d->by_ip ? INSN_STUB : INSN_STOP);
		return true;
	case 6:
		put_plain(ret, INSN_PUSH);
		return !d->opsize;
	default:
		put_plain(ret, INSN_STOP);
		return true;
	}
}

/* 81 and 83: add, or, adc, sbb, and, sub, xor, cmp with an immediate. */
static void effect_imm(const struct decoder *d, struct insn *ret)
{
	enum { ADD, SUB = 5, CMP = 7 };
	unsigned int what = d->reg & 7;

	if (d->mod != 3 || what == CMP)
		return;
	if (d->wide && what == ADD)
		put(ret, INSN_SET, d->rm, d->rm, d->imm);
	else if (d->wide && what == SUB && d->imm != INT32_MIN)
		put(ret, INSN_SET, d->rm, d->rm, -d->imm);
	else
		put(ret, INSN_LOSE, d->rm, INSN_NO_REG, 0);
}

/* mov and lea. */
static void effect_mov(const struct decoder *d, struct insn *ret)
{
	bool store = d->op == 0x88 || d->op == 0x89;
	uint8_t dst = store ? d->rm : d->reg;

	if (store && d->mod != 3)
		return;
	put(ret, INSN_LOSE, dst, INSN_NO_REG, 0);
	if (!d->wide || d->addrsize || !(d->op & 1))
		return;
	if (d->op == 0x8d && d->mod != 3 && d->base != NO_BASE)
		put(ret, INSN_SET, dst, d->base, d->disp);
	else if (d->op == 0x8b && d->mod != 3 && d->base != NO_BASE)
		put(ret, INSN_LOAD, dst, d->base, d->disp);
	else if (d->op != 0x8d && d->mod == 3)
		put(ret, INSN_SET, dst, store ? d->reg : d->rm, 0);
}

/* Two operands of which one is changed. */
static void effect_arithmetic(const struct decoder *d, struct insn *ret)
{
	enum { CMP = 7 };

	if (d->op >> 3 == CMP || (d->op & 7) > 3)
		return;
	if (d->op & 2)
		put(ret, INSN_LOSE, d->reg, INSN_NO_REG, 0);
	else if (d->mod == 3)
		put(ret, INSN_LOSE, d->rm, INSN_NO_REG, 0);
}

static bool effect_one_byte(const struct decoder *d, struct insn *ret)
{
	switch (d->op) {
	case 0x00 ... 0x3f:
		effect_arithmetic(d, ret);
		return true;
	case 0x50 ... 0x57:
	case 0x68:
	case 0x6a:
	case 0x9c:
		put_plain(ret, INSN_PUSH);
		return !d->opsize;
	case 0x58 ... 0x5f:
		put(ret, INSN_POP, (d->op & 7) | d->rex_b, INSN_NO_REG, 0);
		return !d->opsize;
	case 0x8f:
		put(ret, INSN_POP, d->mod == 3 ? d->rm : INSN_NO_REG, INSN_NO_REG, 0);
		return !d->opsize && !(d->reg & 7);
	case 0x9d:
		put_plain(ret, INSN_POP);
		return !d->opsize;
	case 0x63:
	case 0x69:
	case 0x6b:
		put(ret, INSN_LOSE, d->reg, INSN_NO_REG, 0);
		return true;
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3:
		put_jump(ret, INSN_BRANCH, d->imm);
		return true;
	case 0x81:
	case 0x83:
		effect_imm(d, ret);
		return true;
	case 0x88 ... 0x8b:
	case 0x8d:
		effect_mov(d, ret);
		return true;
	case 0xb8 ... 0xbf:
		put(ret, INSN_LOSE, (d->op & 7) | d->rex_b, INSN_NO_REG, 0);
		return true;
	case 0xc2 ... 0xc3:
		put_plain(ret, INSN_RETURN);
		return true;
	case 0xc9:
		put_plain(ret, INSN_LEAVE);
		return true;
	case 0xca ... 0xcc:
	case 0xcf:
	case 0xf4:
		put_plain(ret, INSN_STOP);
		return true;
	case 0xe8: /* of what follows it: the address is pushed */
		put_plain(ret, d->imm ? INSN_CALL : INSN_PUSH);
		return true;
	case 0xe9:
	case 0xeb:
		put_jump(ret, INSN_JUMP, d->imm);
		return true;
	case 0xff:
		return effect_ff(d, ret);
	default:
		return true;
	}
}

/* cmov, imul, movzx, movsx; branches; ud2. */
static void effect_0f(const struct decoder *d, struct insn *ret)
{
	if (d->op >= 0x80 && d->op <= 0x8f)
		put_jump(ret, INSN_BRANCH, d->imm);
	else if ((d->op & 0xf0) == 0x40 || d->op == 0xaf || (d->op & 0xf6) == 0xb6)
		put(ret, INSN_LOSE, d->reg, INSN_NO_REG, 0);
	else if (d->op == 0x0b)
		put_plain(ret, INSN_STOP);
}

bool x86_insn(const uint8_t *code, size_t len, struct insn *ret)
{
	struct decoder d = { .code = code, .len = len, .base = NO_BASE };

	put_plain(ret, INSN_OTHER);
	if (!read_opcode(&d))
		return false;
	unsigned int form = form_of(&d);

	if (form & IS_BAD || (form & HAS_MODRM && !read_modrm(&d)) || !read_immediate(&d, form))
		return false;
	ret->len = (uint8_t)d.at;
	if (d.at > 15)
		return false;
	if (d.map == MAP_ONE_BYTE)
		return effect_one_byte(&d, ret);
	if (d.map == MAP_0F && !d.vex)
		effect_0f(&d, ret);
	return true;
}
