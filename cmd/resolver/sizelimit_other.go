//go:build !unix

package main

func ignoreSizeLimit() {}
