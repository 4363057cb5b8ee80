package ptx

// controlRows are control flow, barriers and what is left. PTX ISA, "Control
// Flow Instructions", "bar", "barrier", "Miscellaneous Instructions". The
// operands of call are no plain list: the checker treats it on its own.
var controlRows = []row{
	{"bra", "uni?", "l", 10, 10, ""},
	{"brx", "act:idx uni?", "s:u32 x", 60, 30, ""},
	{"call", "uni?", "*", 10, 10, ""},
	{"ret", "uni?", "", 10, 10, ""},
	{"exit", "", "", 10, 10, ""},
	{"trap", "", "", 10, 10, ""},
	{"brkpt", "", "", 10, 11, "there is no debugger to break into"},
	{"pmevent", "", "i", 14, 10, "performance monitor events are not modelled"},
	{"pmevent", "other:mask", "i", 30, 20, "performance monitor events are not modelled"},
	{"nanosleep", "type:u32", "s:T", 63, 70, "sleeping for a time is not modelled"},
	{"setmaxnreg", "act:inc,dec sync aligned type:u32", "i", 80, 90, "the register file is not repartitioned"},
	{"griddepcontrol", "act:launch_dependents,wait", "", 78, 90, "dependent launches are not modelled"},

	{"bar", "other?:cta act:sync", "s:u32/s:u32 s:u32", 10, 10, ""},
	{"bar", "other?:cta act:arrive", "s:u32 s:u32", 20, 20, ""},
	{"bar", "other?:cta act:red atom:popc type:u32", "d:T s:u32 p/d:T s:u32 s:u32 p", 20, 20, ""},
	{"bar", "other?:cta act:red atom:and,or type:pred", "d:T s:u32 p/d:T s:u32 s:u32 p", 20, 20, ""},
	{"bar", "act:warp act2:sync", "s:b32", 60, 30, ""},
	{"barrier", "other?:cta act:sync aligned?", "s:u32/s:u32 s:u32", 60, 30, ""},
	{"barrier", "other?:cta act:arrive aligned?", "s:u32 s:u32", 60, 30, ""},
	{"barrier", "other?:cta act:red atom:popc aligned? type:u32", "d:T s:u32 p/d:T s:u32 s:u32 p", 60, 30, ""},
	{"barrier", "other?:cta act:red atom:and,or aligned? type:pred", "d:T s:u32 p/d:T s:u32 s:u32 p", 60, 30, ""},
	{"barrier", "act:cluster act2:arrive,wait sem?:release,relaxed,acquire aligned?", "", 78, 90, noCluster},

	{"alloca", "type:u32,u64", "d:T s:T/d:T s:T i", 73, 52, noStack},
	{"stacksave", "type:u32,u64", "d:T", 73, 52, noStack},
	{"stackrestore", "type:u32,u64", "s:T", 73, 52, noStack},
	{"discard", "space?:global other:L2", "a i", 74, 80, noPolicy},
	{"applypriority", "space?:global other:L2::evict_normal", "a i", 74, 80, noPolicy},
	{"createpolicy", "*", "*", 74, 80, noPolicy},
}

// refusedRows are the groups of which nothing is executed. Their modifiers
// are taken as they come: no rule of execution depends on them.
var refusedRows = []row{
	{"tex tld4", "*", "*", 10, 10, noTexture},
	{"txq", "*", "*", 15, 10, noTexture},
	{"suld sust", "*", "*", 15, 20, noTexture},
	{"sured", "*", "*", 20, 20, noTexture},
	{"suq", "*", "*", 15, 10, noTexture},
	{"wmma", "act:load,store,mma *", "*", 60, 70, noMatrix},
	{"mma", "*", "*", 64, 70, noMatrix},
	{"ldmatrix", "*", "*", 65, 75, noMatrix},
	{"stmatrix", "*", "*", 78, 90, noMatrix},
	{"movmatrix", "*", "*", 78, 75, noMatrix},
	{"wgmma", "act:fence,commit_group,wait_group,mma_async *", "*", 80, 90, noMatrix},
	{"tcgen05", "act:alloc,dealloc,relinquish_alloc_permit,fence,ld,st,wait,cp,shift,mma,commit *", "*", 86, 100, noMatrix},
	{"mbarrier", "act:init,inval,expect_tx,complete_tx,arrive,arrive_drop,test_wait,try_wait,pending_count *", "*", 70, 80, noBulk},
	{"tensormap", "act:replace,cp_fenceproxy *", "*", 83, 90, noBulk},
	{"multimem", "act:ld_reduce,st,red,cp *", "*", 81, 90, noBulk},
	{"clusterlaunchcontrol", "act:try_cancel,query_cancel *", "*", 86, 100, noCluster},
	{"vadd vsub vabsdiff vmin vmax vshl vshr vmad vset", "*", "*", 20, 20, noVideo},
	{"vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2", "*", "*", 30, 30, noVideo},
	{"vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4", "*", "*", 30, 30, noVideo},
}
