# The workbook's front door: `make help` and `make help-all` list its goals.
#
# One non-recursive make, right under -j. Everything it writes goes to build/. This page holds the variables you may set
# and the goals for the whole tree. lib/lib.mk, labs/labs.mk and grader/grader.mk say what is built from what, and
# lib/rules.mk how. Work of more than a line is in the scripts of lib/tools/.

# To BSD make this is an error with a text, to GNU make a rule that nobody asks for.
.error : BSD make cannot read this makefile. Install GNU make, and type gmake where make is the other.

# --- What you may set: make lab03 DEVICE=cpu SEED=7 ----------------------------------------------------------

##@ What you may set
## DEVICE=NAME: where labs run: auto (the default), cpu, cuda or cuda:N
DEVICE := $(or $(LAB_DEVICE),auto)
## FILE=FILE: what labNN checks in place of the lab's own file
FILE :=
## SEED=N: repeats the input data of a check or a grading
SEED :=
## HINT=N: which hint labNN-hint prints, 1 to 3 (the next one)
HINT := next
## CHECK=N: the check to hint at or to draw (the first that failed)
CHECK :=
## PREDICT=NAME: a device for which labNN predicts times: h200, laptop
PREDICT :=
## YES=1: labNN-reset does not ask
YES :=
## GRADED=1: labNN runs your program in the grader's sandbox
GRADED :=
## FOR=WHOM: labs, grading, slides, workbook or everything: for setup
FOR :=
## PREFIX=FOLDER: where setup without root, and install, put things
PREFIX ?=
## V=1: shows the commands themselves, and all of a verdict
V :=

##@ What else you may set
## NAME=NAME: a lab's wrong answer, or the folder of a new program
NAME :=
## LAB=NAMES: labs to verify, lint, mutate, ...: LAB='lab00 lab04' (all)
## TIMES=N: the rounds of verify-load (20), or of mutate (1)
TIMES := 20
## REMOTE=1: test-conformance and test-order use a device process
REMOTE :=
## SUBMISSIONS=FOLDER: what to grade, one subfolder a student
SUBMISSIONS :=
## OUT=FOLDER: where grade writes its report (build/grade), and handout
OUT = $(BUILD)/grade
## LABGRADE=OPTIONS: more options for grade (build/bin/labgrade --help)
LABGRADE :=
## LABEXPORT=OPTIONS: more options for export (grader/report/export.py --help)
LABEXPORT :=
## LESSONS=ADDRESS: the published site that verdicts and reports link to
LESSONS :=
## DONE=CODES: what grade-review closes; WHY says the reason
DONE :=
## WHY=TEXT: why grade-review closes it
WHY :=
## CANVAS=FILE: a gradebook of which export writes a filled-in copy
CANVAS :=
## MOODLE=FILE: the same for Moodle
MOODLE :=
## LABS=NAMES: the labs that handout hands out (all)
## OPEN=DATES: from when handout adds solutions: OPEN='lab00=2027-10-18'
OPEN :=
## GIT=1: makes the handout a git repository
GIT :=
## EXPORTS=FOLDER: where export writes (OUT/+exports)
EXPORTS :=
## SEEDS=N..N: the programs that test-random runs, also single numbers
SEEDS := @lib/tests/differences/once-failed.txt 0..99
## FUZZ_SECONDS=N: how long each fuzzer runs (2)
FUZZ_SECONDS := 2
## SYSTEMS=NAMES: what test-fresh sets up, such as ubuntu-24.04
SYSTEMS := debian-12 debian-13
## MIRROR=URL: where test-fresh gets systems (as apt here does)
MIRROR :=
## TESTS=1: lets test-fresh also run make setup test there
TESTS :=
## ALSO=GOALS: goals that test runs as well, such as lint
ALSO :=
## CHECKS=NAMES: the checks of lint, such as c_format (all)
CHECKS :=
## WERROR=1: makes the compiler's warnings errors, as CI does
WERROR :=
## FRESH=1: verify, test-right, test-python run what is kept, too
FRESH :=
## SINCE=COMMIT: what changed since then quick tests (HEAD)
SINCE := HEAD
## WHOLE=1: test and verify run all that else takes turns by the day
WHOLE :=
## RESULTS=NAME: keeps the times of bench as lib/bench/results/NAME.json
RESULTS :=
## ROWS=GROUP: the rows that bench measures, such as loops (all)
ROWS :=
## BUILD=FOLDER: the folder of everything that is built (build)
BUILD := build
# The folder of this workbook has one name, however it was given: what is built is built again under another.
override BUILD := $(patsubst $(CURDIR)/%,%,$(BUILD))

ifeq ($(filter output-sync,$(.FEATURES)),)
$(error The workbook needs GNU make 4.2 or later, and this is $(MAKE_VERSION): install a newer one, as conda install make does)
endif
DEVICES := auto cpu cuda $(foreach n,0 1 2 3 4 5 6 7 8 9,cuda:$n cuda:1$n)
ifneq ($(filter-out $(DEVICES),$(DEVICE))$(filter-out 1,$(words $(DEVICE))),)
$(error DEVICE=$(DEVICE) is not a device: use auto, cpu, cuda or cuda:N, such as cuda:0)
endif
HASH     := \#
UNUSABLE := $(firstword $(if $(filter-out 1,$(words $(CURDIR))),space) $(foreach \
            c,$(HASH) ' " $$ % : ; & | < > ( ) * ? [ ] \ `,$(findstring $c,$(CURDIR))))
ifneq ($(UNUSABLE),)
$(error The path of the workbook has a $(UNUSABLE) in it, which make cannot handle: move it to a folder without one. It is $(CURDIR))
endif
ifneq ($(filter $(patsubst %/,%,$(abspath $(BUILD)))/%,$(CURDIR)/),)
$(error BUILD=$(BUILD) cannot hold build output: the workbook itself is in it)
endif
ifneq ($(filter-out help help-all doctor setup clean,$(or $(MAKECMDGOALS),help)),)
ifneq ($(shell { [ -d '$(BUILD)' ] || mkdir -p '$(BUILD)' 2>/dev/null; } && [ -w '$(BUILD)' ] || echo refused),)
$(error The folder for build output, $(BUILD), cannot be written: name another, as in BUILD=/tmp/workbook)
endif
endif
ifeq ($(origin CC),default)
CC := gcc
endif

export LAB_DEVICE := $(DEVICE)
export PYTHONDONTWRITEBYTECODE := 1

# What set-up without root unpacked comes first in PATH. The folders of a conda environment that has Jansson, and those
# that PKG_CONFIG_PATH leads to, join C_INCLUDE_PATH and LIBRARY_PATH, which every gcc reads, also below labcheck.
# What is linked finds the libraries that it uses from there by itself. The sandbox shows LAB_PACKAGES.
# Goals after setup use what it is about to unpack: make setup demo.
UNPACKED := $(firstword $(wildcard $(addsuffix /share/gpu-workbook,$(PREFIX) $(HOME)/.local)) $(if $(filter \
            setup,$(MAKECMDGOALS)),$(or $(PREFIX),$(HOME)/.local)/share/gpu-workbook))
CONDA    := $(patsubst %/include/jansson.h,%,$(wildcard $(CONDA_PREFIX)/include/jansson.h))
USED     := criterion jansson sqlite3 archive md seccomp png
ask_pkg_config  = $(foreach l,$(if $(PKG_CONFIG_PATH),$(USED) $(USED:%=lib%)),$(shell pkg-config $1 $l 2>/dev/null))
once   = $(if $1,$(firstword $1) $(call once,$(filter-out $(firstword $1),$1)))
colons = $(subst $(subst ,, ),:,$(strip $1))
bars   = $(subst $(subst ,, ),|,$(strip $1))
words_of = $(subst :, ,$1)
HEADER_PLACES  := $(call once,$(CONDA:%=%/include) $(patsubst -I%,%,$(filter-out -I/usr/include/%,$(call \
                  ask_pkg_config,--cflags-only-I))) $(call words_of,$(C_INCLUDE_PATH)))
LIBRARY_PLACES := $(call once,$(CONDA:%=%/lib) $(patsubst -L%,%,$(call ask_pkg_config,--libs-only-L)) $(call \
                  words_of,$(LIBRARY_PATH)))
ifneq ($(HEADER_PLACES),)
export C_INCLUDE_PATH := $(call colons,$(HEADER_PLACES))
endif
ifneq ($(LIBRARY_PLACES),)
export LIBRARY_PATH := $(call colons,$(LIBRARY_PLACES))
endif
ifneq ($(UNPACKED),)
export PATH := $(if $(findstring $(UNPACKED)/bin:,$(PATH)),,$(UNPACKED)/bin:)$(PATH)
# Small systems have no time zones; a course has one.
ifeq ($(or $(TZDIR),$(wildcard /usr/share/zoneinfo/Europe/Berlin)),)
export TZDIR PYTHONTZPATH
TZDIR := $(UNPACKED)/usr/share/zoneinfo
PYTHONTZPATH := $(TZDIR)
endif
endif
USED_PLACES := $(foreach p,$(LIBRARY_PLACES),$(if $(wildcard $(USED:%=$p/lib%.*)),$p))
export LAB_PACKAGES := $(call colons,$(call once,$(UNPACKED) $(CONDA) $(USED_PLACES)))

# --- How make itself behaves ---------------------------------------------------------------------------------

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
# The one-letter options of the command line.
ASKED_WITH := $(filter-out -,$(firstword -$(MAKEFLAGS)))
JOBS := -j$(shell nproc)
MAKEFLAGS += --no-builtin-rules --no-print-directory
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += $(JOBS)
endif

# What leads to a lab, a demo or a grading is counted rather than listed.
COUNTED_GOALS = clean setup demo grade progress compile_commands.json $(LAB_GOALS) $(LABS:%=ready-%)
$(if $(and $(filter 0,$(MAKELEVEL)),$(wildcard $(BUILD)/.built)),$(shell rm -f '$(BUILD)/.built'))

# The goals say for whom set-up is, as in make setup test, and what must be here before anything is compiled.
SETUP_FOR := $(strip $(if $(filter test-valgrind test-fresh test-cluster,$(MAKECMDGOALS)),everything,$(if $(filter \
             test quick lint lint-% format fuzz test-% mutate adversary $(BUILD)/tests/%,$(MAKECMDGOALS)),workbook,$(if \
             $(filter slides site,$(MAKECMDGOALS)),slides,$(if $(filter demo grade grade-% export autograder bench-% \
             $(BUILD)/bin/labgrade,$(MAKECMDGOALS)),grading)))))

# Several goals are reached one after another, in the order of the command line. A file waits for no goal: one that comes
# before it may need it, as a program needs its library. Nothing is built before a clean or setup that comes first:
# make -j8 clean setup demo.
earlier :=
$(foreach goal,$(call once,$(MAKECMDGOALS)),$(if $(filter $(BUILD)/%,$(goal)),,$(eval $(goal): | $(earlier)))$(eval earlier += $(goal)))
leading = $(if $(filter clean setup,$(firstword $1)),$(firstword $1) $(call leading,$(wordlist 2,$(words $1),$1)))
FIRST := $(call leading,$(MAKECMDGOALS))

# What `make handout` makes has none of what the goals for teaching and for work on the workbook need.
HANDED_OUT := $(wildcard labs/handout.txt)
NOT_HANDED_OUT := demo grade grade-% export autograder handout slides slides-% site examples model-table model-plot test test-% \
                  quick lint lint-% format fuzz verify verify-load mutate adversary bench bench-% profile new-lab labNN-wrong
ifneq ($(and $(HANDED_OUT),$(filter $(NOT_HANDED_OUT),$(MAKECMDGOALS))),)
$(error This is a handout of labs, and has nothing for make $(firstword $(filter $(NOT_HANDED_OUT),$(MAKECMDGOALS))))
endif

include lib/rules.mk
include lib/lib.mk
include labs/labs.mk
include grader/grader.mk
include $(wildcard slides/slides.mk)

# What the goals of this command line need is here, or nothing is done. What a setup of the same command line leaves
# out, that one tells at its end.
$(call needs,fuzz test-all test-asan test-tsan,sanitizers)
$(call needs,lint,$(if $(or $(if $(CHECKS),,all),$(filter shell_scripts,$(CHECKS))),shellcheck) $(if \
    $(or $(if $(CHECKS),,all),$(filter python_files,$(CHECKS))),flake8))
$(call needs,test-valgrind,valgrind)
$(call needs,test-fresh,debootstrap)
# Not among the packages of set-up, and useless without a GPU.
COMPUTE_SANITIZER := $(firstword $(wildcard $(addsuffix /compute-sanitizer,$(call words_of,$(PATH)) /usr/local/cuda/bin)))
ifneq ($(filter test-memcheck test-sanitizers,$(MAKECMDGOALS)),)
ifeq ($(and $(COMPUTE_SANITIZER),$(filter cuda%,$(DEVICE))),)
$(error This runs compute-sanitizer, which comes with the CUDA Toolkit, on a GPU: \
        $(if $(COMPUTE_SANITIZER),use DEVICE=cuda,it is missing here))
endif
endif
MISSING := $(if $(and $(NEEDED),$(if $(filter setup,$(FIRST)),,here)),$(shell $(missing_needs)))
$(if $(MISSING),$(error $(MISSING)))

# --- Goals that concern the whole tree -----------------------------------------------------------------------

.PHONY: help help-all setup doctor demo test test-all quick lint test-unit test-python test-slides test-asan test-tsan \
        test-conformance test-order test-remote test-memcheck test-sanitizers test-needs test-programs test-valgrind \
        test-fresh fuzz lint-gcc lint-clang format clean compile_commands.json FORCE

##@ To begin with
## setup: Installs what is missing for the labs, also without root.
setup:
	@PREFIX='$(PREFIX)' lib/tools/setup.sh $(or $(FOR),$(SETUP_FOR))
	@$(if $(NEEDED),$(missing_needs))
	@$(if $(filter $(SUDO_UID),$(shell stat -c %u .)),sudo -u '#$(SUDO_UID)') $(MAKE) -s BUILD='$(BUILD)' compile_commands.json

## doctor: Says what this machine has, and what that means for you.
doctor:
	@{ mkdir -p '$(BUILD)' && $(MAKE) '$(BUILD)/bin/labdevice' >'$(BUILD)/labdevice.log' 2>&1; } 2>/dev/null || true
	@BUILD='$(BUILD)' lib/tools/doctor.sh

## demo: Shows a solved lab, a graded class and its report.
demo: report-ready $(LAB_READY.lab03) $(GRADER_READY) $(SAMPLE_CLASS)
	@$(tell_built); $(call check_solution,lab03)
	@$(call grade_folder,$(SAMPLE_CLASS),$(BUILD)/demo,--seconds 10 --sandbox-if-possible i-trust-these-files)
	@echo 'Open $(BUILD)/demo/index.html in a browser: the class, with a page for each student.'
	@echo 'Begin yourself with $(LAB_FOLDER.lab00)/README.md and make lab00.'

##@ To work on the workbook itself
# The goals that run tests once more, in other ways. CI names them in ALSO.
TESTED_AGAIN := test-asan test-tsan test-schedules

## test: Runs every test; the last line counts them.
# Its parts share compiled kernels, which stay out of the user's own cache.
test: export LAB_CACHE_DIR := $(or $(LAB_CACHE_DIR),$(abspath $(BUILD))/cache)
test: | $(COMPLETE)
	@MAKE='$(MAKE)' LOGS='$(BUILD)/test' TURN='$(TURN)' lib/tools/test.sh $(ALSO)

## test-all: Runs every test, also sanitized and in adversarial orders.
test-all:
	@$(MAKE) test WHOLE=1 ALSO='$(strip $(ALSO) $(TESTED_AGAIN))'

## quick: Tests what your changes since the last commit can break.
quick:
	@MAKE='$(MAKE)' BUILD='$(BUILD)' lib/tools/quick.sh '$(SINCE)'

## lint: Checks format, warnings, scripts and rules, of all or LAB.
lint:
	@MAKE='$(MAKE)' BUILD='$(BUILD)' LINTED_LABS='$(LINTED_LABS)' lib/tools/lint.sh $(CHECKS)

## test-unit: Runs the unit tests of library and grader.
test-unit: $(TEST_PROGRAMS:%=$(BUILD)/tests/%)
## test-python: Runs the grader whole, with its report and pages.
test-python: $(wildcard grader/tests/*_test.py lib/tests/*_test.py)
## test-slides: Runs the tests of the slides and of the web pages.
test-slides: $(wildcard slides/tests/*_test.py)
## test-asan: Runs the unit tests with address and undefined sanitizers.
test-asan: $(TEST_PROGRAMS:%=$(BUILD)/asan/tests/%)
## test-tsan: Runs the tests with threads with the thread sanitizer.
test-tsan: $(patsubst %,$(BUILD)/tsan/tests/%,$(filter-out playground_tests,$(TEST_PROGRAMS)))
## test-conformance: Runs the tests of CUDA's rules, on DEVICE.
test-conformance: $(BUILD)/tests/conformance_tests$(if $(REMOTE),_remote)
## test-order: Runs the order checker's catalogue, on DEVICE.
test-order: $(BUILD)/tests/order_tests$(if $(REMOTE),_remote)
## test-remote: Runs both with device and kernels in their own processes.
test-remote: $(BUILD)/tests/conformance_tests_remote $(BUILD)/tests/order_tests_remote
## test-memcheck: Runs CUDA's rules under compute-sanitizer, on a GPU.
test-memcheck: $(BUILD)/tests/conformance_tests $(BUILD)/tests/memcheck_planted
	@BUILD='$(abspath $(BUILD))' SANITIZER='$(COMPUTE_SANITIZER)' lib/tools/memcheck.sh $^
## test-sanitizers: Compares our checks of kernels with compute-sanitizer's.
# ROWS=missing runs only the kernels that have no row in the kept tables.
test-sanitizers: $(BUILD)/tests/sanitizer_run
	@BUILD='$(abspath $(BUILD))' SANITIZER='$(COMPUTE_SANITIZER)' ROWS='$(ROWS)' lib/tools/sanitizers.sh $< $(wildcard lib/tests/sanitizers/*.cu)

# As a graded program runs; with kernels in the library's process, test-unit runs the same tests.
test-remote: export LAB_KERNELS_APART := 1

# The address sanitizer sees every allocation fail; the plain tests let every eighth of those fail that compile.
test-asan: export EVERY_FAILURE := 1
# One round of failing allocations is enough for the thread sanitizer. The test of the dead handle has one thread. It
# cannot know that the handler of closed pages only interrupts the program's own accesses.
test-tsan: export WITHOUT := $(addsuffix /,$(ONE_THREAD)) handle/stays_dead allocation_failure/of_any_three \
           allocation_failure/while_ host_pages/
test-unit test-python test-asan test-tsan: | $(TESTS_NEED)
# Which tests run today (run-tests.sh), and which examples of CUDA programs a test checks (check_cuda_test.py).
test-unit test-python test-slides test-remote $(TESTED_AGAIN): export TEST_TURN = $(TURN:%=%/$(TURNS))
$(TESTED_AGAIN): export TEST_TURN_OF_OTHERS = $(if $(TURN),$(shell expr "$$(date +%s)" / 86400 / $(words $(TESTED_AGAIN)) % 2 + 1)/2)
test-slides test-asan test-tsan test-conformance test-order test-remote:
	@$(RUN_TESTS) $^

# Two parts of these are proofs, whose verdict is kept (labs.mk): that right answers build, and that attacks win nothing.
test-unit:
	$(call begin_list,builds)
	$(call list_proof,builds,CRITERION_TEST_PATTERN='right/answers_of_@($(call bars,$(filter $(LABS),$(IN_TURN))))_build' $(RUN_TESTS) $(BUILD)/tests/grader_tests,$(BUILDS_INPUTS))
	$(call end_list,builds)
	@{ WITHOUT=right/ $(RUN_TESTS) $^; $(call run_proofs,builds); } | lib/tools/sum.sh 2
test-python:
	$(call begin_list,attacks)
	$(call list_proof,attacks,$(RUN_TESTS) $(ATTACKS_TEST),$(ATTACKS_INPUTS))
	$(call end_list,attacks)
	@{ $(RUN_TESTS) $(filter-out $(ATTACKS_TEST),$^); $(call run_proofs,attacks); } | lib/tools/sum.sh 2

# The programs that tests start, and those of all parts of `make test`, with the sanitizers' where ALSO asks for them.
TESTED_VARIANTS = plain $(patsubst test-%,%,$(filter test-asan test-tsan,$(ALSO)))
test-needs: $(TESTS_NEED)
test-programs: $(foreach v,$(TESTED_VARIANTS),$(TEST_PROGRAMS:%=$(folder.$v)/tests/%)) $(FUZZERS:%=$(BUILD)/fuzz/tests/%) \
               $(EXAMPLES:%=$(BUILD)/examples/%) $(BUILD)/bin/labcc $(BUILD)/tests/random_programs $(BUILD)/tests/misuse_compared \
               $(BUILD)/tests/runtime_misuse $(BUILD)/tests/builtins_compared \
               $(TESTS_NEED) $(VERIFY_NEEDS) $(BUILD)/tests/conformance_tests_remote $(BUILD)/tests/order_tests_remote

## test-valgrind: Runs the library's tests under valgrind; not part of test.
test-valgrind: $(LIB_TESTS:%=$(BUILD)/valgrind/tests/%)
	@BUILD='$(abspath $(BUILD))' lib/tools/valgrind.sh $^

## test-fresh: Sets up empty SYSTEMS, as root and not; not part of test.
test-fresh:
	@lib/tools/fresh-machine.sh '$(BUILD)/fresh' $(SYSTEMS)

## fuzz: Feeds damaged input to the parts that read files.
fuzz: $(FUZZERS:%=$(BUILD)/fuzz/tests/%)
	@lib/tools/fuzz.sh $(FUZZ_SECONDS) $^

# The C files that lint checks: all but students' files, and the broken ones that tests feed to the grader. What gcc has
# to say about a wrong answer, verify tells.
LINTED_LABS := $(if $(filter command,$(firstword $(origin LAB))),$(LAB))
LINTED := $(filter-out $(STUDENTS_FILES) $(CUDA_LEFT_OUT) $(foreach f,$(LEFT_OUT),$f/% $(f:labs/%=solutions/%)/%), \
          $(wildcard lib/*/*.c lib/*/*/*.c lib/*/*/*/*.c labs/*/*.c solutions/*/*.c grader/src/*/*.c grader/harness/*.c \
          grader/harness/*/*.c grader/tests/*.c)) $(WRONG)
LINTED := $(if $(LINTED_LABS),$(filter $(foreach lab,$(LINTED_LABS),labs/$(lab)-% solutions/$(lab)-% \
          $(BUILD)/$(lab)/wrong/%),$(LINTED)),$(LINTED))
lint-gcc: $(call objects,plain,$(filter-out $(WRONG),$(LINTED)))
lint-clang: $(call objects,clang,$(LINTED))

# An entry of compile_commands.json: $(call command_entry,FILE,COMMAND)
command_entry = $(file >>$(BUILD)/compile_commands.json,{"directory": "$(CURDIR)", "file": "$1", "command": "$(subst \
                ",\",$(strip $2)) $1"}$(if $(filter $1,$(lastword $(EDITED))),,$(COMMA)))
BUILTINS     := $(addprefix -include lib/src/cpu/builtins/,kernel_abi.h builtins.cuh builtins_math.cuh \
                builtins_special.cuh builtins_rounding.cuh builtins_simd.cuh builtins_memory.cuh builtins_atomic.cuh \
                builtins_warp.cuh)
kernel_editor = clang -x c++ -std=c++17 -nostdinc++ -fdeclspec -Wno-everything $(BUILTINS)
EDITED       := $(STUDENTS_FILES) $(filter-out $(WRONG),$(LINTED)) $(wildcard labs/*/*.cu lib/examples/*.cu)

## compile_commands.json: Tells editors how files are compiled, in BUILD.
compile_commands.json: $(WIRE_WRITTEN)
	@mkdir -p '$(BUILD)'
	@lib/tools/your-file.sh begin $(LAB_FOLDERS)
	$(file >$(BUILD)/compile_commands.json,[)
	$(foreach f,$(EDITED),$(call command_entry,$f,$(if $(filter %.cu,$f),$(kernel_editor),$(call compile,plain) $(call \
	    options,$f) -c)))
	$(file >>$(BUILD)/compile_commands.json,])

## format: Rewrites the C files in the house format.
format:
	@lib/tools/format.sh

## clean: Removes everything that was built.
clean:
	@rm -rf '$(BUILD)'

tell_handout = $(if $(HANDED_OUT),-v without='$(NOT_HANDED_OUT) help-all $(if $(filter lab13,$(LABS)),,lab13-page)')

##@ To begin with
## help: Prints the page of somebody who works on labs.
help:
	@awk -v labs='$(LABS)' -v page=student $(tell_handout) -f lib/tools/help.awk $(filter-out %.d,$(MAKEFILE_LIST))

## help-all: Prints every goal: also grading, slides and tests.
help-all:
	@awk -v labs='$(LABS)' $(tell_handout) -f lib/tools/help.awk $(filter-out %.d,$(MAKEFILE_LIST))

# The headers of each object, as the compiler listed them.
-include $(patsubst %.o,%.d,$(sort $(OBJECTS) $(foreach v,plain clang,$(call objects,$v,$(LINTED)))))
