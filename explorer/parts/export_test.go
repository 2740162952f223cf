package parts

// ParseUnsealed is Parse of what has no checksum.
var ParseUnsealed = parse
