package rv

import "fmt"

// Numbers of control and status registers: those of the RISC-V manuals that
// kernels use, and those Vortex adds to tell a thread what it is.
const (
	CSRFflags         uint16 = 0x001
	CSRFrm            uint16 = 0x002
	CSRFcsr           uint16 = 0x003
	CSRMscratch       uint16 = 0x340
	CSRMcycle         uint16 = 0xb00
	CSRMpmReserved    uint16 = 0xb01 // reserved among the counters of Vortex
	CSRMinstret       uint16 = 0xb02
	CSRMhpmcounter3   uint16 = 0xb03 // to mhpmcounter31 at 0xb1f
	CSRMcycleh        uint16 = 0xb80
	CSRMpmReservedh   uint16 = 0xb81
	CSRMinstreth      uint16 = 0xb82
	CSRMhpmcounter3h  uint16 = 0xb83 // to mhpmcounter31h at 0xb9f
	CSRCycle          uint16 = 0xc00
	CSRTime           uint16 = 0xc01
	CSRInstret        uint16 = 0xc02
	CSRCycleh         uint16 = 0xc80
	CSRTimeh          uint16 = 0xc81
	CSRInstreth       uint16 = 0xc82
	CSRThreadID       uint16 = 0xcc0 // thread within its warp
	CSRWarpID         uint16 = 0xcc1 // warp within its core
	CSRCoreID         uint16 = 0xcc2
	CSRActiveWarps    uint16 = 0xcc3 // mask of the core's active warps
	CSRActiveThreads  uint16 = 0xcc4 // mask of the warp's active threads
	CSRMhartid        uint16 = 0xf14
	CSRNumThreads     uint16 = 0xfc0 // threads of a warp
	CSRNumWarps       uint16 = 0xfc1 // warps of a core
	CSRNumCores       uint16 = 0xfc2
	CSRLocalMemBase   uint16 = 0xfc3 // address of the core's local memory
	lastMhpmcounter          = CSRMhpmcounter3 + 28
	lastMhpmcounterUp        = CSRMhpmcounter3h + 28
)

// CSRName is the name of a control and status register, its number in
// hexadecimal where it has none here.
func CSRName(csr uint16) string {
	switch csr {
	case CSRFflags:
		return "fflags"
	case CSRFrm:
		return "frm"
	case CSRFcsr:
		return "fcsr"
	case CSRMscratch:
		return "mscratch"
	case CSRMcycle:
		return "mcycle"
	case CSRMpmReserved:
		return "vx_mpm_reserved"
	case CSRMpmReservedh:
		return "vx_mpm_reserved_h"
	case CSRMinstret:
		return "minstret"
	case CSRMcycleh:
		return "mcycleh"
	case CSRMinstreth:
		return "minstreth"
	case CSRCycle:
		return "cycle"
	case CSRTime:
		return "time"
	case CSRInstret:
		return "instret"
	case CSRCycleh:
		return "cycleh"
	case CSRTimeh:
		return "timeh"
	case CSRInstreth:
		return "instreth"
	case CSRMhartid:
		return "mhartid"
	case CSRThreadID:
		return "vx_thread_id"
	case CSRWarpID:
		return "vx_warp_id"
	case CSRCoreID:
		return "vx_core_id"
	case CSRActiveWarps:
		return "vx_active_warps"
	case CSRActiveThreads:
		return "vx_active_threads"
	case CSRNumThreads:
		return "vx_num_threads"
	case CSRNumWarps:
		return "vx_num_warps"
	case CSRNumCores:
		return "vx_num_cores"
	case CSRLocalMemBase:
		return "vx_local_mem_base"
	}
	switch {
	case csr >= CSRMhpmcounter3 && csr <= lastMhpmcounter:
		return fmt.Sprintf("mhpmcounter%d", csr-CSRMhpmcounter3+3)
	case csr >= CSRMhpmcounter3h && csr <= lastMhpmcounterUp:
		return fmt.Sprintf("mhpmcounter%dh", csr-CSRMhpmcounter3h+3)
	}
	return fmt.Sprintf("0x%03x", csr)
}
