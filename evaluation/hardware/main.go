package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const usage = "usage: hardware pack -o DIR [-drawn N] LAUNCH..., hardware join DIR MEASURED.csv NCU.csv, or hardware page"

func run(ctx context.Context, args []string) error {
	command := ""
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	switch {
	case command == "pack":
		return packed(ctx, args)
	case command == "join" && len(args) == 3:
		out, err := join(args[0], args[1], args[2])
		if err == nil {
			_, err = os.Stdout.Write(out)
		}
		return err
	case command == "page" && len(args) == 0:
		return writePage(".")
	}
	return fmt.Errorf("%s", usage)
}

// packed is the command pack.
func packed(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("pack", flag.ContinueOnError)
	dir := flags.String("o", "", "directory to write")
	drawn := flags.Uint64("drawn", 0, "also kernels drawn from the seeds below this, whose outcome is settled")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" || flags.NArg() == 0 && *drawn == 0 {
		return fmt.Errorf("%s", usage)
	}
	left, err := pack(ctx, *dir, flags.Args(), *drawn)
	if err != nil {
		return err
	}
	fmt.Printf("%d launch files in %s\n", flags.NArg()-len(left), *dir)
	for _, l := range left {
		fmt.Println("left out: " + l)
	}
	return nil
}
