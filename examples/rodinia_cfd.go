package examples

const (
	cfdFaces     = 4
	cfdSmoothing = float32(0.2)
	cfdGamma     = float32(1.4)
)

// cfdFar is the far-field state.
var cfdFar = flow{1.4, 1.68, 0, 0, 3.508}

// flow is density, momentum (three axes) and energy of an element, or a flux of them.
type flow [5]float32

// derived is what the equations need besides the conserved quantities.
type derived struct {
	v                       [3]float32
	speed2, pressure, sound float32
}

func loadFlow(variables []float32, i, n int) (f flow) {
	for k := range f {
		f[k] = variables[i+k*n]
	}
	return f
}

func (f flow) derive() (d derived) {
	for axis := range d.v {
		d.v[axis] = f[1+axis] / f[0]
	}
	d.speed2 = dot3(d.v, d.v)
	d.pressure = mul32(cfdGamma-1, fma32(mul32(-0.5, f[0]), d.speed2, f[4]))
	d.sound = sqrt32(mul32(cfdGamma, d.pressure) / f[0])
	return d
}

func dot3(a, b [3]float32) float32 {
	return fma32(a[2], b[2], fma32(a[1], b[1], mul32(a[0], b[0])))
}

func cfdStepFactor(s *state) {
	n := s.count("n")
	variables, areas, step := s.f32s("variables", 5*n), s.f32s("areas", n), s.f32s("step", n)
	for i := range n {
		d := loadFlow(variables, i, n).derive()
		step[i] = 0.5 / mul32(sqrt32(areas[i]), sqrt32(d.speed2)+d.sound)
	}
}

// addSide adds what one side contributes to the flux through a face with half normal h.
func (f *flow) addSide(side flow, d derived, h [3]float32) {
	through := dot3(h, d.v)
	f[0] = fma32(through, side[0], f[0])
	for axis := range h {
		f[1+axis] = fma32(through, side[1+axis], fma32(h[axis], d.pressure, f[1+axis]))
	}
	f[4] = fma32(through, side[4]+d.pressure, f[4])
}

func cfdFlux(s *state) {
	n := s.count("n")
	neighbours, normals := s.s32s("neighbours", cfdFaces*n), s.f32s("normals", 3*cfdFaces*n)
	variables, fluxes := s.f32s("variables", 5*n), s.f32s("fluxes", 5*n)
	for i := range n {
		self := loadFlow(variables, i, n)
		own := self.derive()
		var flux flow
		for face := range cfdFaces {
			var normal, half [3]float32
			for axis := range normal {
				normal[axis] = normals[i+(face+axis*cfdFaces)*n]
				half[axis] = normal[axis] / 2
			}
			switch neighbour := int(neighbours[i+face*n]); {
			case neighbour >= 0:
				other := loadFlow(variables, neighbour, n)
				their := other.derive()
				speed := sqrt32(own.speed2) + sqrt32(their.speed2) + own.sound + their.sound
				damping := mul32(mul32(mul32(-sqrt32(dot3(normal, normal)), cfdSmoothing), 0.5), speed)
				for k := range flux {
					flux[k] = fma32(damping, self[k]-other[k], flux[k])
				}
				flux.addSide(other, their, half)
				flux.addSide(self, own, half)
			case neighbour == -1:
				for axis := range normal {
					flux[1+axis] = fma32(normal[axis], own.pressure, flux[1+axis])
				}
			default:
				flux.addSide(cfdFar, cfdFar.derive(), half)
				flux.addSide(self, own, half)
			}
		}
		for k := range flux {
			fluxes[i+k*n] = flux[k]
		}
	}
}
