package guard

import "fmt"

// A Device is the GPU's side of the protocol: what the EnterMem and EnterComp
// that the compiler inserts (Forsberg2021, section 3.3) do, as a state machine.
// It is a value; each transition returns the next state. Generated device code
// implements the same transitions, and the simulator and the tests run these.
//
//	Attach   once, at the kernel's start: the number to go on from
//	Enter    at the end of a phase: the request to write, then spin
//	Poll     per look at the token: granted, wait, or aborted
//	Leave    after the last phase: the request to write, no spinning
//
// Before it writes a request, the device must have finished every access of
// the phase that it leaves and made it visible to the system.
type Device struct {
	// At is the phase the device is in.
	At Word
	// Want is the phase that it waits for; equal to At while it runs.
	Want Word
}

// An Outcome is what a look at the token says to a waiting device.
type Outcome uint8

const (
	// Wait: the phase has not been granted yet.
	Wait Outcome = iota
	// Granted: the device is in the phase it has asked for.
	Granted
	// Aborted: the guard was closed; the device must stop.
	Aborted
)

// Attach returns a device that starts under token, which must be a Launch.
func Attach(token Word) (Device, error) {
	if token.Kind() != Launch {
		return Device{}, fmt.Errorf("guard: device started under token %v, want one of kind %v", token, Launch)
	}
	return Device{At: token, Want: token}, nil
}

// Waiting tells whether d spins at a synchronisation point.
func (d Device) Waiting() bool { return d.Want != d.At }

// Enter asks for a phase of kind k, [Memory] or [Compute], and returns the
// request word to write. A device that waits already cannot ask again.
func (d Device) Enter(k Kind) (Device, Word, error) {
	if k != Memory && k != Compute {
		return d, 0, fmt.Errorf("guard: device cannot enter a phase of kind %v", k)
	}
	if d.Waiting() {
		return d, 0, fmt.Errorf("guard: device asks for a phase of kind %v while it waits for phase %v", k, d.Want)
	}
	d.Want = d.At.next(k)
	return d, d.Want, nil
}

// Poll looks at the token.
func (d Device) Poll(token Word) (Device, Outcome) {
	switch {
	case token.Kind() == Abort:
		return d, Aborted
	case token == d.Want:
		d.At = d.Want
		return d, Granted
	}
	return d, Wait
}

// Leave returns the request word that ends the kernel. The device does not
// wait for an answer.
func (d Device) Leave() (Word, error) {
	if d.Waiting() {
		return 0, fmt.Errorf("guard: device leaves while it waits for phase %v", d.Want)
	}
	return d.At.next(Join), nil
}
