/* Messages of the linker about names that nothing defines, in a sentence for each cause. */
#ifndef LAB_LABCC_LINK_ERRORS_H
#define LAB_LABCC_LINK_ERRORS_H

/* Prints the file's messages: the sentences, or all as they are if something else went wrong too. */
void labcc_explain_link(const char *file);

#endif
