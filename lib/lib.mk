# The library, its tools, its tests and its benchmarks. A new source file in one of these folders needs no change here.

# The CUDA device needs the headers of the CUDA Toolkit. Without them a file stands in for the device. CUDA_PATH names a
# toolkit in an unusual place.
CUDA_FOLDERS  := $(CUDA_PATH) $(CUDA_HOME) /usr/local/cuda /opt/cuda /usr
CUDA_INCLUDE  := $(firstword $(foreach f,$(CUDA_FOLDERS),$(if $(and $(wildcard $f/include/cuda.h),$(wildcard \
                 $f/include/nvrtc.h)),$f/include)))
CUPTI_INCLUDE := $(firstword $(foreach f,$(CUDA_FOLDERS),$(patsubst %/cupti.h,%,$(wildcard $f/include/cupti.h \
                 $f/extras/CUPTI/include/cupti.h))))
CUDA_ABSENT   := lib/src/cuda/cuda_absent.c
CUPTI_ABSENT  := lib/src/cuda/libraries/cupti_absent.c
BENCH_ABSENT  := lib/bench/no_cuda.c
CUDA_LEFT_OUT := $(if $(CUDA_INCLUDE),$(CUDA_ABSENT) $(BENCH_ABSENT) $(if \
                 $(CUPTI_INCLUDE),$(CUPTI_ABSENT),lib/src/cuda/libraries/cupti.c),$(filter-out $(CUDA_ABSENT),$(wildcard \
                 lib/src/cuda/*.c lib/src/cuda/*/*.c lib/tests/cuda_*.c lib/bench/cuda_*.c)))

LIB_SOURCES := $(filter-out $(CUDA_LEFT_OUT) lib/src/playground/% lib/src/cudart/% lib/src/labcc/% lib/src/wire/% lib/src/remote/% lib/src/served/% lib/src/kernels/%,$(wildcard \
               lib/src/*/*.c lib/src/*/*/*.c)) lib/src/wire/channel.c
COMMA := ,
LIB_LIBRARIES := $(strip $(USED_PLACES:%=-Wl$(COMMA)--disable-new-dtags$(COMMA)-rpath$(COMMA)%) -ljansson -lmd \
                 -ldl -lm -pthread)

$(foreach v,plain asan tsan valgrind,$(call archive,$v,liblab.a,$(LIB_SOURCES)))

# All that programs include, also CUDA's headers, some of which have no ending.
PUBLIC_HEADERS := $(foreach f,$(wildcard $(addprefix lib/include/,* */* */*/* */*/*/*)),$(if $(wildcard $f/.),,$f))

# CUDA's runtime and driver API over lab.h, with the headers of lib/include/cuda.
CUDART_SOURCES := $(wildcard lib/src/cudart/*.c lib/src/cudart/driver/*.c)
$(foreach v,plain asan tsan valgrind,$(call archive,$v,liblabcuda.a,$(CUDART_SOURCES)))

# The wire: liblab-remote.a is lab.h again, each call a message, with the parts of the library that need no device;
# libserved.a serves such calls. Both sides are written from one table of calls.
WIRE_TABLE     := lib/src/wire/calls.txt
WIRE_HEADERS   := lib/include/lab.h lib/include/lab_trace.h lib/src/wire/extra.h
WIRE_WRITTEN   := $(addprefix $(BUILD)/wire/,calls.h remote_calls.c remote_cooperative.c served_calls.c)
REMOTE_SOURCES := $(wildcard lib/src/wire/*.c lib/src/remote/*.c) $(BUILD)/wire/remote_calls.c \
                  $(BUILD)/wire/remote_cooperative.c $(filter lib/src/base/% lib/src/trace/%,$(LIB_SOURCES)) \
                  $(addprefix lib/src/,seam/dtype.c seam/cast.c seam/kernel_headers.c seam/source/source_headers.c objects/work/benchmark.c \
                  objects/work/raw_args.c)
SERVED_SOURCES := $(filter-out $(LIB_SOURCES),$(wildcard lib/src/wire/*.c)) $(wildcard lib/src/served/*.c) \
                  $(BUILD)/wire/served_calls.c
# A pattern makes one recipe of the four in every make; its stem is the c of calls and cooperative.
$(BUILD)/wire/%alls.h $(BUILD)/wire/remote_%alls.c $(BUILD)/wire/remote_%ooperative.c \
$(BUILD)/wire/served_%alls.c: lib/tools/wire-calls.py $(WIRE_TABLE) $(WIRE_HEADERS) | $(FIRST) $(COMPLETE)
	$(call say,write,$(BUILD)/wire)
	$Qpython3 $< $(WIRE_TABLE) $(BUILD)/wire $(WIRE_HEADERS)
$(foreach v,$(VARIANTS),$(call objects,$v,$(filter %.c,$(WIRE_WRITTEN)))): $(BUILD)/wire/calls.h
$(foreach v,plain asan tsan valgrind,$(call archive,$v,liblab-remote.a,$(REMOTE_SOURCES))$(call \
    archive,$v,libserved.a,$(SERVED_SOURCES))$(call program,$v,bin/labserver,lib/programs/labserver.c,libserved.a \
    liblab.a,$(LIB_LIBRARIES)))

# The process of kernels, which labserver and tests start. Sanitizers need more of the system than it may use. Kernels
# call functions of the C library's mathematics that the program itself does not.
$(call program,plain,bin/labkernels,lib/programs/labkernels.c $(wildcard lib/src/kernels/*.c),liblab.a,\
    -Wl$(COMMA)--no-as-needed $(LIB_LIBRARIES))
$(foreach v,asan tsan valgrind,$(eval $(folder.$v)/bin/labkernels: $(BUILD)/bin/labkernels; @mkdir -p $$(@D) && cp $$< $$@))
$(foreach v,plain asan tsan valgrind,$(eval $(folder.$v)/bin/labserver: | $(folder.$v)/bin/labkernels))

# The rooms that read input: the fuzzers feed them damaged input.
$(call archive,fuzz,liblab.a,$(filter lib/src/base/% lib/src/trace/% lib/src/cpu/object/%,$(LIB_SOURCES)) \
    lib/src/wire/channel.c)

# The playground: the library's own calls on a device that does no work. In WebAssembly it is a part of a web page, and
# in tests a program. Rooms that a browser has no system for are left out, and web/ stands in for them.
PLAYGROUND := $(wildcard lib/src/playground/*.c)
PLAYGROUND_HEADERS := $(wildcard lib/src/playground/*.h lib/src/playground/web/*.h \
                      lib/src/playground/web/sys/*.h lib/include/*.h lib/src/base/*.h lib/src/base/*/*.h \
                      lib/src/order/*.h lib/src/record/*.h lib/src/trace/*.h lib/src/trace/*/*.h lib/src/objects/*/*.h \
                      lib/src/pools/*.h \
                      lib/src/seam/*.h lib/src/trace/model/profiles/*.profile)
PLAYGROUND_WEB := $(PLAYGROUND) $(wildcard lib/src/playground/web/*.c lib/src/base/*.c) \
                  $(addprefix lib/src/,$(addprefix base/program/,host_function.c program.c) cuda/cuda_absent.c \
                  $(addprefix trace/,trace.c dependence.c summarize.c drawing/arrows.c)) \
                  $(addprefix lib/src/pools/,$(addsuffix .c,mempool pool pool_block pool_lifetime pool_limit \
                  pool_stream pool_use)) \
                  $(filter lib/src/order/% lib/src/record/% lib/src/objects/% lib/src/seam/% lib/src/trace/model/% \
                  lib/src/trace/drawing/timeline% %/trace/ranges.c %/figure_rows.c %/figure_marks.c,$(LIB_SOURCES))
PLAYGROUND_WEB := $(filter-out %/terminal.c %/order_environment.c %/order_print.c %/record_environment.c \
                  %/kernel_headers.c %/host_pages.c,$(PLAYGROUND_WEB))
# Clang leaves __builtin_return_address to the systems that can tell; no call here comes from a program's own code.
WASM_CC := clang --target=wasm32-wasi
# $(call wasm,SOURCES,EXPORTS): the recipe of a module.
wasm = $Q$(begin) $(WASM_CC) -std=gnu11 -D_GNU_SOURCE -DNDEBUG -DLAB_NO_LOCATION -Oz -ffunction-sections -fdata-sections \
    '-D__builtin_return_address(level)=NULL' -Ilib/src/playground/web -Ilib/include -Ilib/src -mexec-model=reactor \
    -Wl,-z,stack-size=1048576 -Wl,--gc-sections -Wl,--strip-all $(foreach f,$2,-Wl,--export=play_$f) -o $(NEW) $1 $(end)
$(BUILD)/playground.wasm: $(PLAYGROUND_WEB) $(PLAYGROUND_HEADERS) | $(FIRST)
	$(call say,compile,$@)
	$(call wasm,$(PLAYGROUND_WEB),text free ask)

# Compiled kernels are kept in a cache. Every file that makes them is in the digest by which they are found again.
CPU_COMPILER := $(foreach f,cpu/builtins cpu/ir cpu/passes cpu/vectors cpu/retarget cpu/regions cpu/split cpu/compiler,$(sort $(wildcard lib/src/$f/*.[ch] \
                lib/src/$f/*.cuh))) $(sort $(wildcard lib/src/seam/*.cuh lib/src/seam/kernel_*.[ch])) \
                $(foreach f,half narrow pipeline,lib/include/cuda/lab_$f.h) lib/include/cuda/math_constants.h
CPU_COMPILER_OBJECTS := $(foreach v,$(VARIANTS),$(call objects,$v,lib/src/cpu/builtins/builtins.c))
$(CPU_COMPILER_OBJECTS): $(CPU_COMPILER)
$(CPU_COMPILER_OBJECTS): private options.lib.src += \
    -DCPU_COMPILER_VERSION=$(shell cat $(CPU_COMPILER) | sha256sum | cut -d" " -f1)

# The library that is preloaded into programs of the system is a part of the library, in each variant the same.
FORK_SERVER_OBJECTS := $(foreach v,$(VARIANTS),$(call objects,$v,lib/src/base/processes/fork_server.c))
$(FORK_SERVER_OBJECTS): $(BUILD)/fork_server.so
$(FORK_SERVER_OBJECTS): private options.lib.src += -DFORK_SERVER_LIBRARY='"$(BUILD)/fork_server.so"'
$(BUILD)/fork_server.so: lib/src/base/processes/preloaded/fork_on_request.c lib/src/base/processes/fork_request.h | $(FIRST) $(COMPLETE)
	$(call say,link,$@)
	$Q$(begin) $(CC) $(LANGUAGE) $(WARNINGS) $(werror.plain) $(CFLAGS) -O1 -fPIC -shared -o $(NEW) $< -ldl $(end)

# Headers for kernels are embedded in objects (.incbin); the compiler does not list them.
$(foreach v,$(VARIANTS),$(call objects,$v,lib/src/cpu/run/cpu_backend.c)): $(wildcard lib/src/cpu/run/*.cuh)
$(foreach v,$(VARIANTS),$(call objects,$v,lib/src/seam/kernel_headers.c)): $(wildcard lib/src/seam/*.cuh) \
    lib/include/cuda/lab_complex.h lib/include/cuda/lab_pipeline.h lib/include/cuda/math_constants.h
$(foreach v,$(VARIANTS),$(call objects,$v,$(wildcard lib/src/cuda/*.c lib/src/cuda/*/*.c))): $(wildcard lib/src/cuda/*.cuh lib/src/cuda/*/*.cuh)
$(foreach v,$(VARIANTS),$(call objects,$v,lib/src/arrays/kernel_variants.c)): lib/src/arrays/narrow.cuh lib/include/cuda/lab_narrow.h
$(call objects,plain,lib/bench/against_loops.c): lib/bench/loops.cu

# So are the device profiles.
$(foreach v,$(VARIANTS),$(call objects,$v,lib/src/trace/model/profile.c)): $(wildcard lib/src/trace/model/profiles/*.profile)

# Programs for users: each C file is a program in build/bin/. labserver has another library, and its rule is above.
MODEL_PROGRAMS := $(foreach p,model_programs model_fresh model_kit,lib/programs/$p.c)
USER_PROGRAMS := $(filter-out %/labcc.c %/labserver.c %/labkernels.c $(MODEL_PROGRAMS),$(wildcard lib/programs/*.c))
$(foreach s,$(USER_PROGRAMS),$(call program,plain,bin/$(basename $(notdir $s)),$s,liblab.a,$(LIB_LIBRARIES)))
$(call program,plain,bin/model_programs,$(MODEL_PROGRAMS),liblab.a,$(LIB_LIBRARIES))
# labcc knows where the headers are, and with which libraries it links programs.
LABCC := lib/programs/labcc.c $(wildcard lib/src/labcc/*.c lib/src/labcc/*/*.c)
$(call program,plain,bin/labcc,$(LABCC),liblab.a,$(LIB_LIBRARIES))
$(foreach v,plain clang,$(call objects,$v,$(LABCC))): private options.lib += -DLABCC_SOURCES='"$(CURDIR)"' \
    -DLABCC_LIBRARIES='$(LIB_LIBRARIES:%="%"$(COMMA))'
# The library under the names of CUDA's, for what links without labcc: CMake, and Makefiles that call g++.
CUDA_NAMES := $(patsubst %,$(BUILD)/lab-cuda/lib%.a,cuda cudadevrt cudart cudart_static nvrtc)
$(CUDA_NAMES): | $(FIRST)
	$Qmkdir -p $(@D) && echo 'INPUT(-llabcuda -llab $(filter -l%,$(LIB_LIBRARIES)) -lpthread)' >$@
$(BUILD)/bin/labcc: | $(BUILD)/liblabcuda.a $(CUDA_NAMES)
TOOLS := $(BUILD)/bin/labcc $(BUILD)/bin/model_programs $(USER_PROGRAMS:lib/programs/%.c=$(BUILD)/bin/%)

# The tests of CUDA's rules and the order checker's catalogue run on any device. The tests of the library's own parts
# need the CPU device alone.
RULES := $(wildcard lib/tests/conformance/*_test.c)
ORDER := $(wildcard lib/tests/order/*_test.c)
$(call test_program,conformance_tests,$(RULES),liblab.a,$(LIB_LIBRARIES))
$(call test_program,order_tests,$(ORDER),liblab.a,$(LIB_LIBRARIES))
# The same tests through the wire.
$(foreach t,conformance order,$(call program,plain,tests/$t_tests_remote,$(if $(filter order,$t),$(ORDER),$(RULES)) \
    $(CRITERION_MAIN),liblab-remote.a,-lcriterion $(LIB_LIBRARIES))$(foreach v,asan tsan,$(call program,$v,tests/$t_tests_remote,\
    $(if $(filter order,$t),$(ORDER),$(RULES)) $(PLAIN_MAIN),liblab-remote.a,$(LIB_LIBRARIES))))
$(call test_program,cudart_tests,$(wildcard lib/tests/cudart/*_test.c) lib/tests/cudart/per_thread.c,liblabcuda.a liblab.a,$(LIB_LIBRARIES))
$(call test_program,lib_tests,$(filter-out $(CUDA_LEFT_OUT),$(wildcard lib/tests/*_test.c)),liblab.a,$(LIB_LIBRARIES))

# The playground, whose device stands in for the CPU device: its tests, and a program that answers its question. The
# tests of the catalogue start that program.
$(call test_program,playground_tests,$(wildcard lib/tests/playground/*_test.c) $(PLAYGROUND),liblab.a,$(LIB_LIBRARIES))
$(call program,plain,tests/play,lib/tests/playground/play.c $(PLAYGROUND),liblab.a,$(LIB_LIBRARIES))
$(foreach v,plain asan tsan valgrind,$(eval $(folder.$v)/tests/order_tests: | $(BUILD)/tests/play))
$(BUILD)/tests/order_tests_remote: | $(BUILD)/tests/play

# The catalogue's calls to the checker, noted by a program; and a module that makes them with the same files as the page.
REPLAY := lib/tests/order/replay
ORDER_REPLAY := $(filter-out %/web/entry.c %/order_thread.c,$(PLAYGROUND_WEB)) $(REPLAY)/replay.c
$(call program,plain,tests/order_calls,$(ORDER) $(REPLAY)/note_calls.c,liblab.a,-lcriterion $(LIB_LIBRARIES) \
    -Wl$(COMMA)@$(BUILD)/tests/order_calls.wrap)
$(BUILD)/tests/order_calls: $(BUILD)/tests/order_calls.wrap
$(BUILD)/tests/order_calls.wrap: $(REPLAY)/note_calls.c | $(FIRST)
	$Qmkdir -p $(@D) && $(begin) sed -n 's/^\(NOTED\|WRAPPED\)([^,]*, \([a-z_]*\).*/--wrap=\2/p' $< >$(NEW) $(end)
$(BUILD)/tests/order_replay.wasm: $(ORDER_REPLAY) $(REPLAY)/findings.h lib/src/order/order_thread.c $(PLAYGROUND_HEADERS) | $(FIRST)
	$(call say,compile,$@)
	$Qmkdir -p $(@D)
	$(call wasm,$(ORDER_REPLAY),text free replay)

LIB_TESTS := lib_tests order_tests conformance_tests playground_tests

# Programs at the wire, in order and hostile.
$(call test_program,remote_tests,$(wildcard lib/tests/remote/*.c) lib/tests/copy_fault_test.c,liblab-remote.a,$(LIB_LIBRARIES))
STRANGERS := $(foreach v,plain asan tsan valgrind clang,$(call objects,$v,lib/tests/remote/stranger.c))
$(STRANGERS): $(BUILD)/wire/calls.h
$(STRANGERS): private options.lib += -I$(BUILD)/wire
$(foreach v,plain asan tsan valgrind,$(eval $(addprefix $(folder.$v)/tests/,conformance_tests_remote order_tests_remote \
    remote_tests): | $(folder.$v)/bin/labserver))

# Hostile kernels, and a process of kernels that lies.
$(call test_program,kernels_tests,$(wildcard lib/tests/kernels/*_test.c) $(addprefix lib/src/kernels/,checked.c \
    system_calls.c),liblab.a,$(LIB_LIBRARIES))
KERNELS_LIAR := lib/tests/kernels/liar.c $(filter-out %/serve.c,$(wildcard lib/src/kernels/*.c))
$(foreach v,plain asan tsan valgrind,$(call program,$v,tests/kernels_liar,$(KERNELS_LIAR),liblab.a,$(LIB_LIBRARIES))$(eval \
    $(folder.$v)/tests/kernels_tests: | $(folder.$v)/tests/kernels_liar)$(eval \
    $(addprefix $(folder.$v)/tests/,kernels_tests lib_tests): | $(folder.$v)/bin/labkernels))

# The tests of CUDA's rules once more, with the program's memory apart from the library's. Their calls that name host
# memory go to the functions of apart.c whose names begin with apart_.
apart_rules = $(call objects,$1,$(RULES) $(wildcard lib/tests/apart/*_test.c))
apart_calls = $(call objects,$1,lib/tests/apart/apart.c)
define apart_rule
OBJECTS += $(apart_rules)
$(folder.$1)/tests/apart_rules.o: $(apart_rules) $(apart_calls)
	$$(call say,rename,$$@)
	@mkdir -p $$(@D)
	$$Q$$(begin) nm $(apart_calls) | sed -n 's/.* T apart_\(.*\)/lab_\1 apart_\1/p' >$$(NEW).d && \
	    $$(LD) -r -o $$(NEW) $(apart_rules) && objcopy --redefine-syms=$$(NEW).d $$(NEW) $$(end)
$(call program,$1,tests/apart_conformance_tests,lib/tests/apart/apart.c $2,tests/apart_rules.o liblab.a,$3 $(LIB_LIBRARIES))
endef
$(eval $(call apart_rule,plain,$(CRITERION_MAIN),-lcriterion))
$(foreach v,asan tsan,$(eval $(call apart_rule,$v,$(PLAIN_MAIN))))

# Random programs, compared between devices.
$(call program,plain,tests/random_programs,$(wildcard lib/tests/differences/*.c),liblab.a,$(LIB_LIBRARIES))

# The errors that `make test-memcheck` must find.
$(call program,plain,tests/memcheck_planted,lib/tests/memcheck_planted.c,liblab.a,-lcriterion $(LIB_LIBRARIES))

# Kernels with and without mistakes, which the checks of both devices are held against.
$(call program,plain,tests/sanitizer_run,lib/tests/sanitizers/run.c,liblab.a,$(LIB_LIBRARIES))

# The same tests and the catalogue. For each source that they load, they compare what the two devices learn about it.
$(call program,plain,tests/access_tests,$(RULES) $(ORDER) lib/tests/accesses_compared.c,\
    liblab.a,-Wl$(COMMA)--wrap=cpu_module_load -lcriterion $(LIB_LIBRARIES))

# Calls that allocate go through the test, which makes them fail.
ALLOCATORS := malloc calloc realloc reallocarray strdup strndup posix_memalign asprintf open_memstream getdelim mmap \
    memfd_create
$(call test_program,allocation_tests,$(wildcard lib/tests/allocation/*.c),liblab.a,\
    $(ALLOCATORS:%=-Wl$(COMMA)--wrap=%) $(LIB_LIBRARIES))

$(call archive,fuzz,libserved.a,$(SERVED_SOURCES))
$(call fuzz_programs,$(wildcard lib/tests/fuzz_*.c),libserved.a liblab.a,-Wl$(COMMA)--wrap=served_may_call $(LIB_LIBRARIES))

# Tests that try every case: each file is a program.
EXHAUSTIVE := $(patsubst lib/tests/%.c,%,$(wildcard lib/tests/exhaustive_*.c))
$(foreach f,$(EXHAUSTIVE),$(call program,plain,tests/$f,lib/tests/$f.c,liblab.a,$(LIB_LIBRARIES)))

# On a GPU, bench measures the workbook's solution of lab 03 too.
$(call program,plain,bench,$(filter-out $(CUDA_LEFT_OUT),$(wildcard lib/bench/*.c)) \
    $(if $(CUDA_INCLUDE),solutions/lab03-concurrency/lab03.c),liblab.a,$(LIB_LIBRARIES))

$(call program,plain,tests/wire_rounds,lib/bench/wire/wire_rounds.c,liblab-remote.a,$(LIB_LIBRARIES))
$(BUILD)/bench: | $(BUILD)/tests/wire_rounds $(BUILD)/bin/labserver $(BUILD)/bin/labkernels

# The functions that kernels have, on any device.
$(call program,plain,tests/builtins_compared,lib/tests/builtins_compared.c,liblab.a,$(LIB_LIBRARIES))

# Random kernels with warp functions, on any device.
$(call program,plain,tests/warps_compared,lib/tests/warps_compared.c,liblab.a,$(LIB_LIBRARIES))

# The answers to misuses, on any device.
$(call program,plain,tests/misuse_compared,lib/tests/misuse_compared.c,liblab.a,$(LIB_LIBRARIES))
$(call program,plain,tests/runtime_misuse,lib/tests/cudart/runtime_misuse.c,liblabcuda.a liblab.a,$(LIB_LIBRARIES))

# The programs of the seeds; NAME.txt next to each is what it prints.
EXAMPLES := $(patsubst lib/examples/%.c,%,$(wildcard lib/examples/*.c))
$(foreach e,$(EXAMPLES),$(call program,plain,examples/$e,lib/examples/$e.c,liblab.a,$(LIB_LIBRARIES)))

# CUDA programs, a lab each; NAME.txt next to each is what it prints.
CUDA_EXAMPLES := $(patsubst lib/examples/%.cu,%,$(wildcard lib/examples/cuda/*.cu))
$(BUILD)/examples/cuda/%: lib/examples/cuda/%.cu lib/examples/cuda/check.h $(filter lib/include/cuda/%,$(PUBLIC_HEADERS)) $(BUILD)/bin/labcc
	$(call say,compile,$@)
	$Qmkdir -p $(@D) && $(BUILD)/bin/labcc -o $@ $<
EXAMPLES += $(CUDA_EXAMPLES)
TESTS_NEED += $(BUILD)/bin/labcc $(BUILD)/bin/labtrace $(BUILD)/bin/labprofile

.PHONY: test-builtins test-warps test-misuse test-twice
.PHONY: examples test-labcc test-kernels-apart test-apart test-host-memory test-exhaustive test-random test-accesses test-schedules bench profile model-table model-plot

# Suites whose tests have one thread: the thread sanitizer can find nothing in them.
ONE_THREAD := bench_results cache capacity cast cuda_compile device_functions_page dtype files ir_accesses ir_check \
    kernel_accesses limit model number_map object plain_text playground process profile program_image relations retarget scan \
    terminal timeline timeline_svg trace trace_file trace_summary whole_file
# Suites with threads whose results depend on no schedule: they enqueue no work, or choose the schedules themselves.
ANY_SCHEDULE := bad_input bad_input_capture bad_input_context bad_input_freed bad_input_host_function bad_input_null \
    bad_input_size handle ir_names kernel_compile lifetime ranges retire sanitizers schedule standstill status \
    thread_storage

# The schedules of test-schedules. For others: make test-schedules SCHEDULES='fifo random:7'.
SCHEDULES := adversarial:1 random:1

##@ To work on the workbook itself
## examples: Runs the programs of lib/examples and checks their output.
examples: $(EXAMPLES:%=$(BUILD)/examples/%)
	@BUILD='$(abspath $(BUILD))' lib/tools/run-examples.sh $^

# Left out: a test that passes an address of device memory for one of host memory; and, where kernels cannot use pinned
# memory, one whose kernel does. One more compares a message with an address that is displaced there.
APART_NOT := bad_input/memory_that_is_told_of*
APART_NOT_PINNED := $(APART_NOT)|kernel_failure/work_that_has_not_begun*|pinned_mempool/misuse_is_an_error*

# Programs for labcc: features, findings, and what it refuses; examples with what they print.
LABCC_PROGRAMS := $(wildcard lib/tests/labcc/*.cu lib/examples/cuda/*.cu)

## test-labcc: Compiles CUDA programs with labcc and runs them.
test-labcc: $(BUILD)/bin/labcc
	@$(if $(TURN),echo "$$(($(words $(LABCC_PROGRAMS)) - $(words $(call in_turn,$(LABCC_PROGRAMS))))) another day$(COMMA) since they take turns; WHOLE=1 runs all")
	@BUILD='$(abspath $(BUILD))' lib/tools/labcc-tests.sh $(call in_turn,$(LABCC_PROGRAMS))

## test-host-memory: Runs the tests of memory apart from the library's.
## test-apart: Runs CUDA's rules with host memory apart, on DEVICE.
test-host-memory test-apart: $(BUILD)/tests/apart_conformance_tests
test-host-memory:
	@$(RUN_TESTS) APART_PINNED=shared CRITERION_TEST_PATTERN='host_memory/*' $^ \
	    APART_PINNED=apart CRITERION_TEST_PATTERN='host_memory/*' $^
test-apart:
	@$(RUN_TESTS) APART_PINNED=shared CRITERION_TEST_PATTERN='!($(APART_NOT))' $^ \
	    APART_PINNED=apart CRITERION_TEST_PATTERN='!($(APART_NOT_PINNED))' $^

## test-kernels-apart: Runs CUDA's rules with kernels in their own process.
# And the tests of LAB_MEMCHECK, but for one whose kernel reaches memory that is only registered.
test-kernels-apart: $(foreach t,conformance order lib,$(BUILD)/tests/$t_tests) | $(BUILD)/bin/labkernels
	@LAB_DEVICE=cpu $(RUN_TESTS) LAB_KERNELS_APART=1 $(filter-out %/lib_tests,$^) \
	    CRITERION_TEST_PATTERN='memcheck/!(accepts_pinned*)' $(filter %/lib_tests,$^)

## test-exhaustive: Runs the tests that try every case, in minutes.
test-exhaustive: $(EXHAUSTIVE:%=$(BUILD)/tests/%)
	@$(RUN_TESTS) $^

## test-random: Compares random programs on DEVICE with the CPU device.
test-random: $(BUILD)/tests/random_programs
	@LAB_CACHE_DIR="$${LAB_CACHE_DIR:-$(abspath $(BUILD))/cache}" $< --device $(DEVICE) $(SEEDS)

## test-builtins: Compares kernels' functions on DEVICE with a GPU's.
# KEEP=1 writes the GPU's sums again.
test-builtins: $(BUILD)/tests/builtins_compared
	@LAB_DEVICE=$(DEVICE) LAB_CACHE_DIR=$${LAB_CACHE_DIR:-$(BUILD)/cache} $< lib/tests/builtins_gpu.txt $(if $(KEEP),keep)

## test-warps: Compares kernels of divergent warps with a GPU's sums.
# MODULES of ten kernels, of the 200 whose sums an H200 wrote. LAB_BARRIERS=fibers compares the other way to run them.
MODULES := 8
test-warps: $(BUILD)/tests/warps_compared
	@LAB_DEVICE=$(DEVICE) LAB_CACHE_DIR=$${LAB_CACHE_DIR:-$(BUILD)/cache} \
	    lib/tools/warps.sh $< lib/tests/warps_gpu.txt $(MODULES)

## test-misuse: Compares answers to misuses with a driver's.
# KEEP=1 writes the driver's answers again, on a GPU.
test-misuse: $(BUILD)/tests/misuse_compared $(BUILD)/tests/runtime_misuse
	@export LAB_DEVICE=$(DEVICE) LAB_CACHE_DIR=$${LAB_CACHE_DIR:-$(BUILD)/cache} LAB_CUDA_ERRORS=none; \
	    { $< lib/tests/misuse_gpu.txt $(if $(KEEP),keep); \
	    $(BUILD)/tests/runtime_misuse lib/tests/cudart/runtime_misuse_gpu.txt; } | lib/tools/sum.sh 2

## test-accesses: Compares what both devices learn about a kernel's memory.
test-accesses: $(BUILD)/tests/access_tests
	@$(RUN_TESTS) $^

# A driver that shows each GPU twice, in the place of the machine's own. A stub stands for that one while it is linked.
TWICE  := $(BUILD)/twice
DRIVER  = $(if $(and $(CUDA_INCLUDE),$(filter test-twice,$(MAKECMDGOALS))),$(shell ldconfig -p 2>/dev/null | awk '$$1 == "libcuda.so.1" && /64/ {print $$NF; exit}'))
$(TWICE)/libcuda.so.1: lib/tests/cuda_twice.c | $(FIRST)
	$(call say,link,$@)
	$Qmkdir -p $(@D) && ln -sf $(DRIVER) $(TWICE)/libcuda_real.so
	$Q$(CC) -shared -nostdlib -Wl,-soname,libcuda_real.so -o $(TWICE)/stub.so -x c /dev/null
	$Q$(CC) -std=c11 -D_GNU_SOURCE -I$(CUDA_INCLUDE) -fPIC -shared -o $@ $< -Wl,--no-as-needed $(TWICE)/stub.so

## test-twice: Runs tests of two GPUs on one, which a driver shows twice.
test-twice: $(if $(DRIVER),$(TWICE)/libcuda.so.1) $(BUILD)/tests/conformance_tests
	@$(if $(DRIVER),,echo "not run: needs a GPU with its driver, and the CUDA Toolkit"; exit 1;) \
	    LD_LIBRARY_PATH='$(abspath $(TWICE))'"$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}" LAB_DEVICE=cuda \
	    $(RUN_TESTS) CRITERION_TEST_PATTERN='@(device|event|context)/*' $(BUILD)/tests/conformance_tests

## test-schedules: Runs the tests that enqueue work in adversarial orders.
test-schedules: $(LIB_TESTS:%=$(BUILD)/tests/%)
	@WITHOUT='$(addsuffix /,$(ONE_THREAD) $(ANY_SCHEDULE))' $(RUN_TESTS) $(foreach s,$(SCHEDULES),LAB_SCHEDULE=$s $(filter-out %/playground_tests,$^))

## bench: Measures the library next to hand-written code.
bench: $(BUILD)/bench
	@$(BUILD)/bench $(if $(ROWS),--only '$(ROWS)') $(if $(RESULTS),--json 'lib/bench/results/$(RESULTS).json')

## profile: Measures a profile of DEVICE for the model.
# In half a minute on a GPU, on a machine that does nothing else.
PROFILES := $(BUILD)/profiles
profile: $(BUILD)/bin/labprofile
	@lib/tools/quiet.sh 'make profile'
	@mkdir -p '$(PROFILES)' && file=$$($< '$(PROFILES)' labs/lab03-concurrency/kernels.cu) && \
	    cat "$$file" && printf '\n%s\n%s\n%s\n' 'Where the least and the most are far apart, something else ran: measure again.' \
	    'What the profile says of lab 03:' "    make lab03-solution PREDICT=$$file"

# The tables of the two machines, the second with a profile of its own, as make profile measured it. The plot has the
# sixty of the first, and the fresh programs of the second.
compare_model = $(BUILD)/bin/model_programs lib/bench/results/model_programs.txt >$(BUILD)/model_programs.txt && \
    $(BUILD)/bin/model_programs lib/bench/results/model_fresh.txt lib/bench/results/model_fresh.profile >$(BUILD)/model_fresh.txt
model_plot = { cat $(BUILD)/model_programs.txt; grep 'fresh$$' $(BUILD)/model_fresh.txt; } | \
    lib/tools/python.sh lib/tools/model-plot.py $1 lib/docs/model_programs.svg

## model-table: Compares the model with the times of two H200.
model-table: $(BUILD)/bin/model_validate $(BUILD)/bin/model_programs
	@$< && echo && ($(compare_model)); status=$$?; cat $(BUILD)/model_programs.txt && [ $$status = 0 ] && \
	    printf '\n%s\n\n' 'Another H200, with the profile that was measured there:' && cat $(BUILD)/model_fresh.txt && $(call model_plot,check)

## model-plot: Draws the plot of measured and modelled times again.
model-plot: $(BUILD)/bin/model_programs
	@($(compare_model)) && $(call model_plot,write)

# A library and a program of one's own, outside of the workbook.
INSTALLED_IN := $(abspath $(or $(patsubst ~/%,$(HOME)/%,$(PREFIX)),$(HOME)/.local))
INSTALLED    := $(filter-out %/model_validate %/model_programs %/labprofile,$(TOOLS)) $(BUILD)/bin/labkernels

.PHONY: install new-program check-cuda

##@ To write a program of your own
## check-cuda: Finds mistakes in a CUDA program: FILE=a.cu ARGS=…
# OPTIONS are labcc's.
check-cuda: $(BUILD)/bin/labcc $(BUILD)/bin/labtrace
	@$(if $(FILE),,echo 'Which program? make check-cuda FILE=program.cu'; exit 2;) \
	    LAB_CACHE_DIR=$${LAB_CACHE_DIR:-$(abspath $(BUILD))/cache} $< --check \
	    --out '$(BUILD)/check-cuda/$(basename $(notdir $(FILE)))' $(OPTIONS) '$(patsubst ~/%,$(HOME)/%,$(FILE))' -- $(ARGS)

## install: Puts lab.h, library and tools into PREFIX (~/.local).
install: $(BUILD)/liblab.a $(BUILD)/liblabcuda.a $(INSTALLED) | $(CUDA_NAMES)
	@mkdir -p '$(INSTALLED_IN)/include/lab-cuda' '$(INSTALLED_IN)/bin' $(foreach f,pkgconfig lab-cuda,'$(INSTALLED_IN)/lib/$f')
	@cp $(CUDA_NAMES) '$(INSTALLED_IN)/lib/lab-cuda'
	@cp lib/include/*.h '$(INSTALLED_IN)/include' && cp -R lib/include/cuda/. '$(INSTALLED_IN)/include/lab-cuda'
	@cp $(filter %.a,$^) lib/tools/check-cuda.py '$(INSTALLED_IN)/lib' && cp $(INSTALLED) '$(INSTALLED_IN)/bin'
	@printf '%s\n' 'prefix=$(INSTALLED_IN)' 'Name: lab' 'Description: GPU concurrency in C, on a CPU or a GPU' 'Version: 1' \
	    'Cflags: -pthread -I$${prefix}/include' 'Libs: -L$${prefix}/lib -llab $(LIB_LIBRARIES)' \
	    >'$(INSTALLED_IN)/lib/pkgconfig/lab.pc'
	@echo 'lab.h, liblab.a, CUDA'"'"'s headers (lab-cuda), liblabcuda.a, lab.pc and $(notdir $(INSTALLED)) are in $(INSTALLED_IN).'

## new-program: Begins one: make new-program NAME=~/saxpy
new-program:
	@lib/tools/new-program.sh '$(patsubst ~/%,$(HOME)/%,$(NAME))' '$(INSTALLED_IN)' '$(UNPACKED:%=%/bin:)' '$(LIB_LIBRARIES)'
