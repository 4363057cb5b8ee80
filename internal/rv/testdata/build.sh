#!/bin/sh
# Builds the sample programs and the tables that tests compare with, where
# clang 19, LLD 14 and the GNU RISC-V tools are installed. Two compilers give
# two styles: far calls and DWARF 4 from one, near calls and DWARF 5 from the
# other.
set -e
cd "$(dirname "$0")"
common="-march=rv32imf_zicsr -mabi=ilp32f -O2 -ffreestanding -fno-math-errno -ffile-prefix-map=$PWD=."
clang-19 --target=riscv32-unknown-elf $common -mcmodel=medany -mno-relax -gdwarf-4 -gline-tables-only -fno-inline-functions -c sample.c -o sample.o
ld.lld-14 -static -z max-page-size=64 -T sample.ld sample.o -o sample-clang.elf
rm sample.o
riscv64-unknown-elf-gcc $common -g -fno-inline -nostdlib -nostartfiles -static -Wl,-z,max-page-size=64,-T,sample.ld,--no-warn-rwx-segments sample.c -o sample-gcc.elf
for p in sample-clang sample-gcc; do
	chmod 644 $p.elf
	# Functions: address, size, name.
	riscv64-unknown-elf-readelf -sW $p.elf | awk '$4 == "FUNC" { print $2, $3, $8 }' | sort >$p.functions
	# Words: address, word; source line of each.
	riscv64-unknown-elf-objdump -d $p.elf | awk '$1 ~ /^8.*:$/ && length($1) == 9 && length($2) == 8 { print substr($1, 1, 8), $2 }' >$p.words
	cut -d' ' -f1 $p.words | riscv64-unknown-elf-addr2line -e $p.elf | sed 's/ (discriminator.*//; s/.*\///' | paste -d' ' $p.words - >$p.lines
	rm $p.words
done
riscv64-unknown-elf-as -march=rv32imf_zicsr -mabi=ilp32f labels.s -o labels.o
riscv64-unknown-elf-ld -m elf32lriscv -z max-page-size=64 -T sample.ld labels.o -o labels.elf
chmod 644 labels.elf
rm labels.o
