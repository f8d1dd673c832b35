package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The bits of sixteen values are gathered from a bitmap at a time.

func marked512() {
	for _, store := range []bool{false, true} {
		if store {
			function("filterMarked512", "func(dst, list *uint32, n int, bitmap *uint64, base uint32) int", "writes the values of list whose bit is set to dst, which may be list, and returns how many they are.")
		} else {
			function("countMarked512", "func(list *uint32, n int, bitmap *uint64, base uint32) int", "counts the values of list whose bit is set.")
		}
		m := &marks{store: store}
		m.list = Mem{Base: Load(Param("list"), GP64())}
		m.bitmap = Load(Param("bitmap"), GP64())
		n := Load(Param("n"), GP64()).(GPVirtual)
		if store {
			m.dst = Mem{Base: Load(Param("dst"), GP64())}
		}
		m.base, m.low, m.one, m.total = ZMM(), ZMM(), ZMM(), GP64()
		base, r := GP32(), GP32()
		Load(Param("base"), base)
		VPBROADCASTD(base, m.base)
		MOVL(U32(31), r)
		VPBROADCASTD(r, m.low)
		MOVL(U32(1), r)
		VPBROADCASTD(r, m.one)
		XORQ(m.total, m.total)
		m.all = K()
		KXNORW(m.all, m.all, m.all)
		SUBQ(imm(16), n)
		JLT(LabelRef("rest"))
		Label("sixteen")
		z := ZMM()
		VMOVDQU32(m.list, z)
		m.probe(z, m.all)
		ADDQ(imm(64), m.list.Base)
		SUBQ(imm(16), n)
		JGE(LabelRef("sixteen"))
		Label("rest")
		ADDQ(imm(16), n)
		JEQ(LabelRef("done"))
		k, last := lowLanes(n), ZMM()
		VMOVDQU32_Z(m.list, k, last)
		m.probe(last, k)
		Label("done")
		VZEROUPPER()
		Store(m.total, ReturnIndex(0))
		RET()
	}
}

type marks struct {
	list, dst      Mem
	bitmap         Register
	base, low, one VecVirtual
	all            OpmaskVirtual
	total          GPVirtual
	store          bool
}

// probe tests the lanes of z that k chooses.
func (m *marks) probe(z VecVirtual, k OpmaskVirtual) {
	v, word, words, gathered, hit, r := ZMM(), ZMM(), ZMM(), K(), K(), GP64()
	VPSUBD(m.base, z, v)
	VPSRLD(Imm(5), v, word)
	VPANDD(m.low, v, v)
	VPSLLVD(v, m.one, v)
	KMOVW(k, gathered)
	VPXORD(words, words, words)
	VPGATHERDD(Mem{Base: m.bitmap, Index: word, Scale: 4}, gathered, words)
	VPTESTMD(v, words, k, hit)
	KMOVW(hit, r.As32())
	POPCNTL(r.As32(), r.As32())
	ADDQ(r, m.total)
	if m.store {
		VPCOMPRESSD_Z(z, hit, z)
		VMOVDQU32(z, lowLanes(r), m.dst)
		LEAQ(Mem{Base: m.dst.Base, Index: r, Scale: 4}, m.dst.Base)
	}
}
