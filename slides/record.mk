# The programs that record what the figures show, and the goal that runs them. slides/slides.mk includes this file.
#
# Each slides/programs/NAME.c is a program, build/slides/programs/NAME. run_labNN.c includes the file with the lab's
# functions: there is run_labNN for the lab's solution, and run_labNN-WRONG for each wrong answer. In their records, as
# in a student's verdict, that file is called labNN.c.

SLIDE_PROGRAMS := $(filter-out slide run_lab%,$(patsubst slides/programs/%.c,%,$(wildcard slides/programs/*.c)))
SLIDE_LABS     := $(patsubst slides/programs/run_%.c,%,$(wildcard slides/programs/run_lab*.c))
SLIDE_COMPILE   = $(CC) $(LANGUAGE) $(WARNINGS) -Wno-unused-parameter -Wno-unused-function -O2 $(CFLAGS) -I. \
                  -Ilib/include -fmacro-prefix-map=./=

# $(call slide_program,NAME,SOURCE,OPTIONS,MORE FILES)
slide_program = $(eval $(slide_program_rule))
define slide_program_rule
$(BUILD)/slides/programs/$1: $2 $4 slides/programs/slide.c slides/programs/slide.h slides/record.mk \
    $(wildcard lib/include/*.h) $(BUILD)/liblab.a
	$$(call say,link,$$@)
	@mkdir -p $$(@D)
	$$Q$$(begin) $(SLIDE_COMPILE) $3 -o $$(NEW) $2 slides/programs/slide.c $(BUILD)/liblab.a $(LDFLAGS) \
	    $(LIB_LIBRARIES) $$(end)
endef

# The kernel of the deck kernel.md without its guard.
$(BUILD)/slides/mine.cu: lib/examples/first_kernel.cu
	@mkdir -p $(@D)
	$Q$(begin) sed 's/if (i < count) //' $< >$(NEW) $(end)
$(BUILD)/slides/programs/first_kernel: lib/examples/00-first-kernel.c $(BUILD)/slides/mine.cu

slide_answer = $(call slide_program,$1,slides/programs/run_$2.c,-I$(LAB_FOLDER.$2) -DANSWER='"$3"' \
               -fmacro-prefix-map=./$3=$2.c -fmacro-prefix-map=$3=$2.c,$3)

$(foreach p,$(SLIDE_PROGRAMS),$(call slide_program,$p,slides/programs/$p.c))
$(foreach lab,$(SLIDE_LABS),$(call slide_answer,run_$(lab),$(lab),$(call solution_of,$(lab))))
$(foreach lab,$(SLIDE_LABS),$(foreach wrong,$(call wrong_of,$(lab)),$(call \
    slide_answer,run_$(lab)-$(basename $(notdir $(wrong))),$(lab),$(wrong))))

## AS=NAME: the machine on which slides-record records: cpu, h200
AS := cpu

.PHONY: slides-record
##@ To work on the workbook itself
## slides-record: Records what NAME's figure shows, or all, as AS.
slides-record:
	+@MAKE='$(MAKE)' BUILD='$(BUILD)' slides/tools/record.py '$(AS)' $(NAME)
