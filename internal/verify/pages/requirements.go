package pages

// Requirement is something that the README states.
type Requirement struct {
	Words string // as they stand in the README
	Tests []string
}

// Requirements are what the README states that tests can show, in its order.
var Requirements = []Requirement{
	{"checks the answer against its own cycle-level simulator", []string{"internal/verify/integration TestBoundsHoldOnExamples", kernels + " TestSafeBoundsHoldOnRandomKernels"}},
	{"go run ./cmd/warpbound analyze examples/sgemm/double/sgemm_double_8.toml", []string{"internal/verify/conformance TestReadme"}},
	{"Safe bounds on one warp, one block, and the whole launch, for any work-conserving warp scheduler", []string{campaign + " TestCampaign", "internal/sim TestBoundsCoverSimulations"}},
	{"the phase profile of every warp", []string{multiphase + " TestFoldedProfile", runner + " TestOneBlock"}},
	{"Every bound carries a ledger", []string{multiphase + " TestLedger", runner + " TestLedger"}},
	{"A campaign that searches for violated bounds", []string{campaign + " TestCampaign", campaign + " TestPlantedFaults", campaign + " TestAttackRediscoversGUB"}},
	{"does it compute what it should?", []string{"internal/verify/integration TestExamplesComputeTheirReferences"}},
	{"`PATH` says whether it holds whatever the others contain", []string{claims + " TestClaimsHold", runner + " TestLedger"}},
	{"is among the methods, and it is not safe", []string{multiphase + " TestGUBJudged", campaign + " TestAttackRediscoversGUB"}},
	{"simulate examples/basic/reduce/reduce-1block.toml --gantt reduce.svg", []string{"internal/verify/conformance TestGantt"}},
	{"prints them beside bounds that are, and the exact value for any number of warps", []string{"internal/method/makespan/study TestPublishedFigures", potential + " TestLaws"}},
	{"replays SWaS off line, to the cycle", []string{runner + " TestReplayIsTheSimulation", replay + " TestDrawnAreSimulated"}},
	{"proves the loops independent, sizes the tiles for the scratchpad, writes the kernels", []string{"internal/verify/premtest TestExamples", "internal/verify/premtest TestRandomNests"}},
	{"bounds their phases, and runs the whole system in the simulator, busy CPU cores included", []string{budget + " TestProgramsKeepTheirBudgets", "internal/premtime/soc TestGuardIsolates"}},
	{"what hits in the L1 data cache", []string{runner + " TestAnyOrderUnderAttack", l1d + " TestEstimateIsWhatIsSimulated", "internal/verify/integration TestMissRatesAreThoseSimulated"}},
	{"ISA 1.3 to 9.x", []string{"ptx TestRoundTripTestdata", "ptx TestVerdicts"}},
	{"PTX opcodes", []string{"ptx TestSupportDoc", "internal/simt/ptxexec TestEveryExecutedFormRuns", "internal/simt/ptxexec TestRefusedFormsAreRefused"}},
	{"RV32IMF, Zicsr, Zifencei, Zicond, the SIMT instructions of Vortex", []string{"internal/rv TestSupportDoc", "internal/simt/rvexec TestComputations", "internal/simt/rvexec/internal/reference TestPrograms"}},
	{"launches, outputs equal to host references", []string{"internal/verify/integration TestExamplesComputeTheirReferences"}},
	{"launches, ELF and PTX, outputs equal to host references", []string{"examples/vortex TestProgramsComputeTheirReferences"}},
	{"both counterexamples, published examples 1 and 2, to the cycle", []string{multiphase + " TestFixtures", "internal/sim TestPaperExamples", "internal/sim TestCounterexampleSchedule"}},
	{"no theorem covers it there, and it is refused with the reason", []string{"internal/verify/conformance TestReadme", multiphase + " TestOutsideTheModel"}},
	{"All take `--json`", []string{"cmd/warpbound TestSchemas", "cmd/warpbound TestJSONPage"}},
	{"`--help` explains the flags of each", []string{"cmd/warpbound TestExamplesOfHelpWork"}},
	{"Exit codes: 0 done, 1 the kernel failed at run time or a bound was violated, 2 wrong input", []string{"cmd/warpbound TestScripts"}},
	{"a checker that shares no code with the analysis", []string{"internal/certify TestExamplesCertify", "internal/certify TestLowerFiguresAreRefused", "internal/certify TestReaderAgreesWithTheFrontEnd", "internal/certify TestCheckerIsSmall", "internal/verify/rooms TestImportsGoOneWay"}},
	{"`analyze` and `compare` take `--require-all-inputs`", []string{"cmd/warpbound TestJudge", "cmd/warpbound TestScripts"}},
}
