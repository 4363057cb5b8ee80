package exec_test

import (
	"context"
	"fmt"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/exec"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

func Example() {
	p, err := cfront.Parse("scale.c", `
void scale(float x[restrict 100], float a)
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) map(tofrom: x[0:100]) firstprivate(a)
    for (int i = 0; i < 100; i++) {
        x[i] = a * x[i] + a;
    }
}`, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := exec.Compile(p, "scale", exec.Options{Scheme: device.SDMA, Tile: tile.Options{SPMBytes: 256}})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := loop.NewBuffer(loop.Float, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	args := loop.Args{Scalars: map[string]loop.Value{"a": loop.OfFloat(2)}, Arrays: map[string]*loop.Buffer{"x": x}}
	machine := &exec.Functional{}
	if err := m.Run(context.Background(), args, machine.Run); err != nil {
		fmt.Println(err)
		return
	}
	c := machine.Counts[0]
	fmt.Println(loopkit.Floats(x)[99])
	fmt.Printf("%s: %d elements loaded, %d stored, %d compute phases of two teams\n", m.Kernels[0].Device.Name, c.LoadedElements, c.StoredElements, c.ComputePhases)
	// Output:
	// 2
	// scale_0_sdma: 100 elements loaded, 100 stored, 2 compute phases of two teams
}
