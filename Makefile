# The front door. What a target does is in tools/; each first installs what it
# lacks (tools/setup.sh), which takes no time when nothing is missing.

BOARD  ?= gta02
BOARDS := $(basename $(notdir $(wildcard images/*.toml)))
IMAGE  := target/run/$(BOARD).nand
LINUX  := target/run/linux.nand

.PHONY: help run run-console linux run-linux test bench lint size firmware setup clean $(IMAGE)

help: ## List the targets
	@echo "make TARGET [BOARD=gta02]; boards: $(BOARDS)"
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

run: $(IMAGE) ## Boot the demo kernel from NAND in the simulator; report in target/run/BOARD.json and .svg
	@tools/stone.sh run --board $(BOARD) $(IMAGE) --past-kernel --until 'demo: done.*\n' --report $(IMAGE:.nand=.json) --timeline $(IMAGE:.nand=.svg) </dev/null

run-console: $(IMAGE) ## The serial prompt in the simulator, live
	@tools/stone.sh run --board $(BOARD) $(IMAGE) --input '\r'

linux: setup ## Build a small Linux for the mini2440 into target/linux (5 to 8 minutes, once)
	@images/linux/build.sh

run-linux: override BOARD = mini2440
run-linux: linux firmware ## Boot that Linux in the simulator
	@mkdir -p $(dir $(LINUX))
	@tools/stone.sh nand images/mini2440.toml -o $(LINUX) --kernel target/linux/zImage \
		--set kernel.load=0x32000000 --set kernel.name=Linux --cmdline 'console=ttySAC0,115200 loglevel=8'
	@tools/stone.sh run --board mini2440 $(LINUX) --past-kernel --until 'Kernel command line: .*\n' --report $(LINUX:.nand=.json) </dev/null

test: setup ## Formatting, Clippy, and all tests
	@tools/lint.sh $(BOARDS)
	@tools/test.sh $(BOARDS)

bench: setup ## How fast NAND is read, beside published drivers; table, target/bench/summary.json, chart.svg
	@tools/bench.sh

lint: setup ## Formatting and Clippy alone
	@tools/lint.sh $(BOARDS)

size: setup ## Sizes of the stages; fails when one is over its limit
	@tools/size.sh $(BOARDS)

clean: ## Remove everything built, Linux included
	rm -rf target

setup:
	@tools/setup.sh

firmware: setup
	@tools/firmware.sh $(BOARD)

# Packed anew each time: it takes a second.
$(IMAGE): firmware
	@mkdir -p $(@D)
	@tools/stone.sh nand images/$(BOARD).toml -o $@
