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
	{"createpolicy", "act:fractional,range,cvt other?:@l2,L2::evict_unchanged other?:L2::evict_first,L2::evict_unchanged space?:global type?:b64 *", "*", 74, 80, noPolicy},
}

// refusedRows are the groups of which nothing is executed. No rule of execution
// depends on their modifiers: the known ones are listed, and all others are
// accepted.
var refusedRows = []row{
	{"tex", "other:1d,2d vec:v4 type:u32,s32,f32 type2:s32,f32", "x x", 10, 10, ""},
	{"tld4", "other:r,g,b,a other:2d vec:v4 type:u32,s32,f32 type2:f32", "x x", 20, 20, ""},
	{"tex", "other?:1d,2d,3d,cube,a1d,a2d,acube,2dms,a2dms other?:base,level,grad vec? type?:u32,s32,f16,f32,f16x2 type2?:s32,f32 *", "x x/x x x/x x x x/x x x x x/x x x x x x", 10, 10, noTexture},
	{"tld4", "other?:r,g,b,a other?:a2d,cube,acube,2d vec? type?:u32,s32,f32 type2?:f32 *", "x x/x x x/x x x x/x x x x x/x x x x x x", 20, 20, noTexture},
	{"txq", "other?:width,height,depth,channel_data_type,channel_order,normalized_coords,array_size,num_mipmap_levels,num_samples," +
		"filter_mode,addr_mode_0,addr_mode_1,addr_mode_2,force_unnormalized_coords,level type?:b32 *", "*", 15, 10, noTexture},
	{"suld sust", "other?:b,p other?:1d,2d,3d,a1d,a2d cache?:ca,cg,cs,cv,wb,wt vec? type?:b8,b16,b32,b64,u32,s32,f32 other?:trap,clamp,zero *", "*", 15, 20, noTexture},
	{"sured", "other?:b,p atom?:add,min,max,and,or other?:1d,2d,3d type?:u32,u64,s32,b32,s64,b64 other?:trap,clamp,zero *", "*", 20, 20, noTexture},
	{"suq", "other?:width,height,depth,channel_data_type,channel_order,array_size,memory_layout type?:b32 *", "*", 15, 10, noTexture},

	{"wmma", "act:load act2:a,b sync aligned other:row,col other:m16n16k16,m8n32k16,m32n8k16 space?:global,shared,shared::cta type:f16", "x a/x a s:u32", 60, 70, ""},
	{"wmma", "act:load act2:c sync aligned other:row,col other:m16n16k16,m8n32k16,m32n8k16 space?:global,shared,shared::cta type:f16,f32", "x a/x a s:u32", 60, 70, ""},
	{"wmma", "act:store act2:d sync aligned other:row,col other:m16n16k16,m8n32k16,m32n8k16 space?:global,shared,shared::cta type:f16,f32", "a x/a x s:u32", 60, 70, ""},
	{"wmma", "act:load act2:a,b sync aligned other:row,col other:m16n16k16,m8n32k16,m32n8k16 space?:global,shared,shared::cta type:s8,u8", "x a/x a s:u32", 63, 72, ""},
	{"wmma", "act:load act2:c sync aligned other:row,col other:m16n16k16,m8n32k16,m32n8k16 space?:global,shared,shared::cta type:s32", "x a/x a s:u32", 63, 72, ""},
	{"wmma", "act:store act2:d sync aligned other:row,col other:m16n16k16,m8n32k16,m32n8k16 space?:global,shared,shared::cta type:s32", "a x/a x s:u32", 63, 72, ""},
	{"wmma", "act:load act2:a,b sync aligned other:row,col other:m16n16k16,m8n32k16,m32n8k16 space?:global,shared,shared::cta type:bf16", "x a/x a s:u32", 70, 80, ""},
	{"wmma", "act:load act2:a,b sync aligned other:row,col other:m16n16k8 space?:global,shared,shared::cta type:tf32", "x a/x a s:u32", 70, 80, ""},
	{"wmma", "act:load act2:c sync aligned other:row,col other:m16n16k8 space?:global,shared,shared::cta type:f32", "x a/x a s:u32", 70, 80, ""},
	{"wmma", "act:store act2:d sync aligned other:row,col other:m16n16k8 space?:global,shared,shared::cta type:f32", "a x/a x s:u32", 70, 80, ""},
	{"wmma", "act:load act2:a,b sync aligned other:row,col other:m8n8k4 space?:global,shared,shared::cta type:f64", "x a/x a s:u32", 70, 80, ""},
	{"wmma", "act:load act2:c sync aligned other:row,col other:m8n8k4 space?:global,shared,shared::cta type:f64", "x a/x a s:u32", 70, 80, ""},
	{"wmma", "act:store act2:d sync aligned other:row,col other:m8n8k4 space?:global,shared,shared::cta type:f64", "a x/a x s:u32", 70, 80, ""},
	{"wmma", "act:mma sync aligned other:row,col other:row,col other:m16n16k16,m8n32k16,m32n8k16 type:f16,f32 type2:f16,f32", "x x x x", 60, 70, ""},
	{"wmma", "act:mma sync aligned other:row,col other:row,col other:m16n16k16,m8n32k16,m32n8k16 satfinite? type:s32 type2:s8 type3:s8 type4:s32", "x x x x", 63, 72, ""},
	{"wmma", "act:mma sync aligned other:row,col other:row,col other:m16n16k16,m8n32k16,m32n8k16 satfinite? type:s32 type2:u8 type3:u8 type4:s32", "x x x x", 63, 72, ""},
	{"wmma", "act:mma sync aligned other:row,col other:row,col other:m16n16k16,m8n32k16,m32n8k16 type:f32 type2:bf16 type3:bf16 type4:f32", "x x x x", 70, 80, ""},
	{"wmma", "act:mma sync aligned other:row,col other:row,col other:m16n16k8 type:f32 type2:tf32 type3:tf32 type4:f32", "x x x x", 70, 80, ""},
	{"wmma", "act:mma sync aligned other:row,col other:row,col other:m8n8k4 rnd?:rn type:f64 type2:f64 type3:f64 type4:f64", "x x x x", 70, 80, ""},
	{"wmma", "act:load,store act2:a,b,c,d sync aligned other:row,col other:m8n8k32,m8n8k128 space?:global,shared,shared::cta type:s4,u4,b1,s32", "x x/x x x", 63, 75, noMatrix},
	{"wmma", "act:mma sync aligned other?:xor,and other?:popc other:row,col other:row,col other:m8n8k32,m8n8k128 type:s32 type2:s4,u4,b1 type3:s4,u4,b1 type4:s32 satfinite?", "x x x x", 63, 75, noMatrix},
	{"mma", "sync aligned other:m16n8k8,m16n8k16 other:row other:col type:f16 type2:f16 type3:f16 type4:f16", "x x x x", 65, 75, ""},
	{"mma", "sync aligned other:m16n8k8,m16n8k16 other:row other:col type:f32 type2:f16 type3:f16 type4:f32", "x x x x", 65, 75, ""},
	{"mma", "sync aligned other:m16n8k8,m16n8k16 other:row other:col type:f32 type2:bf16 type3:bf16 type4:f32", "x x x x", 70, 80, ""},
	{"mma", "sync aligned other:m16n8k4,m16n8k8 other:row other:col type:f32 type2:tf32 type3:tf32 type4:f32", "x x x x", 70, 80, ""},
	{"mma", "sync aligned other:m8n8k16,m16n8k16,m16n8k32 other:row other:col satfinite? type:s32 type2:s8,u8 type3:s8,u8 type4:s32", "x x x x", 65, 75, ""},
	{"mma", "sync aligned other:m8n8k4 other:row other:col type:f64 type2:f64 type3:f64 type4:f64", "x x x x", 70, 80, ""},
	{"mma", "sync? aligned? other?:m8n8k4,m8n8k16,m8n8k32,m8n8k128,m16n8k4,m16n8k8,m16n8k16,m16n8k32,m16n8k64,m16n8k128,m16n8k256 other?:row,col other?:row,col satfinite? " +
		"type?:f16,f32,f64,s32 type2?:f16,bf16,tf32,f64,s8,u8,s4,u4,b1,e4m3,e5m2,e3m2,e2m3,e2m1 type3?:f16,bf16,tf32,f64,s8,u8,s4,u4,b1,e4m3,e5m2,e3m2,e2m3,e2m1 " +
		"type4?:f16,f32,f64,s32 *", "x x x x/x x x x x x x x", 64, 70, noMatrix},
	{"mma", "act:sp,sp::ordered_metadata *", "*", 71, 80, noMatrix},
	{"ldmatrix", "sync aligned other:m8n8 other:x1,x2,x4 other?:trans space?:shared,shared::cta type:b16", "x a", 65, 75, ""},
	{"ldmatrix", "sync? aligned? other:m8n16,m16n16 other?:x1,x2,x4 other?:trans space?:shared,shared::cta type?:b16,b8 *", "x x", 65, 75, noMatrix},
	{"stmatrix", "sync? aligned? other?:m8n8,m16n8 other?:x1,x2,x4 other?:trans space?:shared,shared::cta type?:b16,b8 *", "*", 78, 90, noMatrix},
	{"movmatrix", "sync? aligned? other?:m8n8 other?:trans type?:b16 *", "*", 78, 75, noMatrix},
	{"wgmma", "act:fence,commit_group,wait_group sync? aligned? *", "*", 80, 90, noMatrix},
	{"wgmma", "act:mma_async other?:sp sync? aligned? type?:f16,f32,s32 type2?:f16,bf16,tf32,e4m3,e5m2,s8,u8,b1 type3?:f16,bf16,tf32,e4m3,e5m2,s8,u8,b1 satfinite? *",
		"*", 80, 90, noMatrix},
	{"tcgen05", "act:alloc,dealloc,relinquish_alloc_permit,fence,ld,st,wait,cp,shift,mma,commit other?:cta_group::1,cta_group::2 sync? aligned? *", "*", 86, 100, noMatrix},

	{"mbarrier", "act:init space?:shared,shared::cta type:b64", "a s:u32", 70, 80, ""},
	{"mbarrier", "act:inval space?:shared,shared::cta type:b64", "a", 70, 80, ""},
	{"mbarrier", "act:expect_tx,complete_tx sem?:relaxed scope?:cta,cluster space?:shared,shared::cta type:b64", "a s:u32", 80, 90, ""},
	{"mbarrier", "act:arrive,arrive_drop sem?:release,relaxed scope?:cta,cluster space?:shared,shared::cta type:b64", "d:b64 a/d:b64 a s:u32", 70, 80, ""},
	{"mbarrier", "act:arrive,arrive_drop other:expect_tx sem?:release,relaxed scope?:cta,cluster space?:shared,shared::cta type:b64", "d:b64 a s:u32", 80, 90, ""},
	{"mbarrier", "act:arrive,arrive_drop other:noComplete sem?:release scope?:cta space?:shared,shared::cta type:b64", "d:b64 a s:u32", 70, 80, ""},
	{"mbarrier", "act:test_wait sem?:acquire,relaxed scope?:cta,cluster space?:shared,shared::cta type:b64", "d:pred a s:b64", 70, 80, ""},
	{"mbarrier", "act:test_wait other:parity sem?:acquire,relaxed scope?:cta,cluster space?:shared,shared::cta type:b64", "d:pred a s:u32", 71, 80, ""},
	{"mbarrier", "act:try_wait sem?:acquire,relaxed scope?:cta,cluster space?:shared,shared::cta type:b64", "d:pred a s:b64/d:pred a s:b64 s:u32", 78, 90, ""},
	{"mbarrier", "act:try_wait other:parity sem?:acquire,relaxed scope?:cta,cluster space?:shared,shared::cta type:b64", "d:pred a s:u32/d:pred a s:u32 s:u32", 78, 90, ""},
	{"mbarrier", "act:pending_count type:b64", "d:b32 s:b64", 70, 80, ""},
	{"mbarrier", "act:expect_tx,complete_tx,arrive,arrive_drop other?:expect_tx sem?:relaxed,release scope? space:shared::cluster type:b64", "x/x x/x x x", 80, 90, noCluster},
	{"tensormap", "act:replace,cp_fenceproxy space?:global,shared,shared::cta *", "*", 83, 90, noBulk},
	{"multimem", "act:ld_reduce,st,red,cp sem?:weak,relaxed,acquire,release scope? space?:global atom?:add,min,max,and,or,xor other?:acc::f32,acc::f16 vec? " +
		"type?:b32,b64,@i3264,f16,f16x2,bf16,bf16x2,f32,f64,e4m3,e5m2,e4m3x2,e5m2x2,e4m3x4,e5m2x4 *", "*", 81, 90, noBulk},
	{"clusterlaunchcontrol", "act:try_cancel,query_cancel *", "*", 86, 100, noCluster},

	{"vadd vsub vabsdiff vmin vmax", "type?:@i32 type2?:@i32 type3?:@i32 sat? other?:add,min,max *", "*", 20, 20, noVideo},
	{"vshl vshr", "type?:@i32 type2?:@i32 type3?:u32 sat? shift?:clamp,wrap other?:add,min,max *", "*", 20, 20, noVideo},
	{"vmad", "type?:@i32 type2?:@i32 type3?:@i32 sat? other?:shr7,shr15 other?:po *", "*", 20, 20, noVideo},
	{"vset", "type?:@i32 type2?:@i32 cmp?:@cmps other?:add,min,max *", "*", 20, 20, noVideo},
}
