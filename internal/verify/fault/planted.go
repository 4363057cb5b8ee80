package fault

// Planted says that this build has the planted faults. The overlay that plants them puts
// true here.
const Planted = false
