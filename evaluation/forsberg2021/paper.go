package forsberg2021

// paperPrem are the averages of Forsberg2021, sections 4.2 and 4.3: slowdowns of SDMA
// under fair sharing by group and over all, those of CMPT and DAE in group A, and
// shares of one.
var paperPrem = struct {
	fair                       map[string]float64 // by group, "" over all
	cmptFairA, daeFairA        float64
	idleOfDAE, idleOfCMPT      float64 // how much less SDMA idles under fair sharing
	fasterFair, fasterFairMost float64 // than DAE
	fasterA, faster            float64 // than DAE, code and synchronisation
	daeCode, sync              float64 // overheads over BASE
	sensitivity                float64 // of SDMA
}{
	fair: map[string]float64{"A": 1.59, "B": 4.3, "C": 3.8, "": 2.8}, cmptFairA: 2.74, daeFairA: 2.67,
	idleOfDAE: 0.45, idleOfCMPT: 0.53, fasterFair: 0.20, fasterFairMost: 0.48, fasterA: 0.34, faster: 0.17,
	daeCode: 0.20, sync: 0.50, sensitivity: 0.035,
}
