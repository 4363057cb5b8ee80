package tile

// FormString is formString, for the tests' listings.
var FormString = formString
