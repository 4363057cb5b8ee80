// Euler equations on an unstructured mesh: the local time step, and the flux through the four faces of an element.
#include "warpbound.h"

#define GAMMA 1.4f
#define FACES 4
#define SMOOTHING 0.2f

// Far-field state: density, momentum and energy of a uniform stream along x.
__constant__ float far_field[5] = {1.4f, 1.68f, 0.0f, 0.0f, 3.508f};

struct State {
	float density, mx, my, mz, energy;
};

struct Derived {
	float vx, vy, vz, speed2, pressure, sound;
};

INLINE State load(const float *variables, int i, int n) {
	return {variables[i], variables[i + n], variables[i + 2 * n], variables[i + 3 * n], variables[i + 4 * n]};
}

INLINE Derived derive(State s) {
	Derived d;
	d.vx = s.mx / s.density;
	d.vy = s.my / s.density;
	d.vz = s.mz / s.density;
	d.speed2 = fma32(d.vz, d.vz, fma32(d.vy, d.vy, d.vx * d.vx));
	d.pressure = (GAMMA - 1.0f) * fma32(-0.5f * s.density, d.speed2, s.energy);
	d.sound = sqrt32(GAMMA * d.pressure / s.density);
	return d;
}

// step = 0.5 / (sqrt(area) * (|v| + c))
KERNEL cfd_step_factor(const float *variables, const float *areas, float *step, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	Derived d = derive(load(variables, i, n));
	step[i] = 0.5f / (sqrt32(areas[i]) * (sqrt32(d.speed2) + d.sound));
}

// The part of the flux that one side contributes through a face with half normal (hx, hy, hz).
INLINE void add_side(State *flux, State s, Derived d, float hx, float hy, float hz) {
	float through = fma32(hz, d.vz, fma32(hy, d.vy, hx * d.vx));
	flux->density = fma32(through, s.density, flux->density);
	flux->mx = fma32(through, s.mx, fma32(hx, d.pressure, flux->mx));
	flux->my = fma32(through, s.my, fma32(hy, d.pressure, flux->my));
	flux->mz = fma32(through, s.mz, fma32(hz, d.pressure, flux->mz));
	flux->energy = fma32(through, s.energy + d.pressure, flux->energy);
}

// neighbours[i + face*n] is an element, -1 for a wall, -2 for the far field; normals[i + (face + axis*FACES)*n].
KERNEL cfd_flux(const int *neighbours, const float *normals, const float *variables, float *fluxes, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	State self = load(variables, i, n);
	Derived own = derive(self);
	State flux = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
	for (int face = 0; face < FACES; face++) {
		int neighbour = neighbours[i + face * n];
		float nx = normals[i + face * n];
		float ny = normals[i + (face + FACES) * n];
		float nz = normals[i + (face + 2 * FACES) * n];
		if (neighbour >= 0) {
			State other = load(variables, neighbour, n);
			Derived their = derive(other);
			float length = sqrt32(fma32(nz, nz, fma32(ny, ny, nx * nx)));
			float speed = sqrt32(own.speed2) + sqrt32(their.speed2) + own.sound + their.sound;
			float damping = -length * SMOOTHING * 0.5f * speed;
			flux.density = fma32(damping, self.density - other.density, flux.density);
			flux.mx = fma32(damping, self.mx - other.mx, flux.mx);
			flux.my = fma32(damping, self.my - other.my, flux.my);
			flux.mz = fma32(damping, self.mz - other.mz, flux.mz);
			flux.energy = fma32(damping, self.energy - other.energy, flux.energy);
			add_side(&flux, other, their, 0.5f * nx, 0.5f * ny, 0.5f * nz);
			add_side(&flux, self, own, 0.5f * nx, 0.5f * ny, 0.5f * nz);
		} else if (neighbour == -1) {
			flux.mx = fma32(nx, own.pressure, flux.mx);
			flux.my = fma32(ny, own.pressure, flux.my);
			flux.mz = fma32(nz, own.pressure, flux.mz);
		} else {
			State far = {far_field[0], far_field[1], far_field[2], far_field[3], far_field[4]};
			add_side(&flux, far, derive(far), 0.5f * nx, 0.5f * ny, 0.5f * nz);
			add_side(&flux, self, own, 0.5f * nx, 0.5f * ny, 0.5f * nz);
		}
	}
	fluxes[i] = flux.density;
	fluxes[i + n] = flux.mx;
	fluxes[i + 2 * n] = flux.my;
	fluxes[i + 3 * n] = flux.mz;
	fluxes[i + 4 * n] = flux.energy;
}
