package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The code gathers the bits of sixteen values from a bitmap at a time.

func marked512() {
	for _, form := range []struct {
		name, signature, doc string
		store, places        bool
	}{
		{"countMarked512", "func(list *uint32, n int, bitmap *uint64, base uint32) int",
			"counts the values of list whose bit is set.", false, false},
		{"filterMarked512", "func(dst, list *uint32, n int, bitmap *uint64, base uint32) int",
			"writes the values of list whose bit is set to dst, which may be list, and returns how many they are.", true, false},
		{"placesMarked512", "func(dst, list *uint32, n int, bitmap *uint64) int",
			"writes the places in list of the values whose bit is set to dst and returns how many they are.", true, true},
	} {
		function(form.name, form.signature, form.doc)
		m := &marks{store: form.store}
		m.list = Mem{Base: Load(Param("list"), GP64())}
		m.bitmap = Load(Param("bitmap"), GP64())
		n := Load(Param("n"), GP64()).(GPVirtual)
		if m.store {
			m.dst = Mem{Base: Load(Param("dst"), GP64())}
		}
		m.low, m.one, m.total = broadcast(31), broadcast(1), GP64()
		if form.places {
			m.place, m.sixteen = ZMM(), broadcast(16)
			VMOVDQU32(numbers(), m.place)
		} else {
			base := GP32()
			Load(Param("base"), base)
			m.base = ZMM()
			VPBROADCASTD(base, m.base)
		}
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

// broadcast returns a register with n in every lane.
func broadcast(n uint32) VecVirtual {
	r, z := GP32(), ZMM()
	MOVL(U32(n), r)
	VPBROADCASTD(r, z)
	return z
}

// numbers returns the address of the numbers 0 to 15.
func numbers() Mem {
	m := GLOBL("numbers", RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(uint32(i)))
	}
	return m
}

type marks struct {
	list, dst      Mem
	bitmap         Register
	base, low, one VecVirtual
	place, sixteen VecVirtual // where the lanes are in the list, if that is wanted
	all            OpmaskVirtual
	total          GPVirtual
	store          bool
}

// probe tests the lanes of z that k chooses.
func (m *marks) probe(z VecVirtual, k OpmaskVirtual) {
	v, word, words, gathered, hit, r := ZMM(), ZMM(), ZMM(), K(), K(), GP64()
	if m.base == nil {
		VMOVDQA32(z, v)
	} else {
		VPSUBD(m.base, z, v)
	}
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
		if m.place == nil {
			VPCOMPRESSD_Z(z, hit, z)
		} else {
			VPCOMPRESSD_Z(m.place, hit, z)
			VPADDD(m.sixteen, m.place, m.place)
		}
		VMOVDQU32(z, lowLanes(r), m.dst)
		LEAQ(Mem{Base: m.dst.Base, Index: r, Scale: 4}, m.dst.Base)
	}
}
