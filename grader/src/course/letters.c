/* Letters with marks; see letters.h. The table has the canonical decompositions of Unicode. */
#include "letters.h"

#include <uchar.h>

static const struct {
    uint32_t mark;
    const char *plain;
    const char16_t *marked; /* in the order of `plain` */
} marks[] = {
    {0x0300, "AEIOUaeiou", u"\u00c0\u00c8\u00cc\u00d2\u00d9\u00e0\u00e8\u00ec\u00f2\u00f9"},
    {0x0301, "AEIOUYaeiouyCcLlNnRrSsZz",
     u"\u00c1\u00c9\u00cd\u00d3\u00da\u00dd\u00e1\u00e9\u00ed\u00f3\u00fa\u00fd\u0106\u0107\u0139\u013a\u0143\u0144"
     u"\u0154\u0155\u015a\u015b\u0179\u017a"},
    {0x0302, "AEIOUaeiouCcGgHhJjSsWwYy",
     u"\u00c2\u00ca\u00ce\u00d4\u00db\u00e2\u00ea\u00ee\u00f4\u00fb\u0108\u0109\u011c\u011d\u0124\u0125\u0134\u0135"
     u"\u015c\u015d\u0174\u0175\u0176\u0177"},
    {0x0303, "ANOanoIiUu", u"\u00c3\u00d1\u00d5\u00e3\u00f1\u00f5\u0128\u0129\u0168\u0169"},
    {0x0304, "AaEeIiOoUu", u"\u0100\u0101\u0112\u0113\u012a\u012b\u014c\u014d\u016a\u016b"},
    {0x0306, "AaEeGgIiOoUu", u"\u0102\u0103\u0114\u0115\u011e\u011f\u012c\u012d\u014e\u014f\u016c\u016d"},
    {0x0307, "CcEeGgIZz", u"\u010a\u010b\u0116\u0117\u0120\u0121\u0130\u017b\u017c"},
    {0x0308, "AEIOUaeiouyY", u"\u00c4\u00cb\u00cf\u00d6\u00dc\u00e4\u00eb\u00ef\u00f6\u00fc\u00ff\u0178"},
    {0x030A, "AaUu", u"\u00c5\u00e5\u016e\u016f"},
    {0x030B, "OoUu", u"\u0150\u0151\u0170\u0171"},
    {0x030C, "CcDdEeLlNnRrSsTtZz",
     u"\u010c\u010d\u010e\u010f\u011a\u011b\u013d\u013e\u0147\u0148\u0158\u0159\u0160\u0161\u0164\u0165\u017d\u017e"},
    {0x0327, "CcGgKkLlNnRrSsTt",
     u"\u00c7\u00e7\u0122\u0123\u0136\u0137\u013b\u013c\u0145\u0146\u0156\u0157\u015e\u015f\u0162\u0163"},
    {0x0328, "AaEeIiUu", u"\u0104\u0105\u0118\u0119\u012e\u012f\u0172\u0173"},
};

uint32_t letters_take_apart(uint32_t letter, uint32_t *mark)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        for (size_t k = 0; marks[i].marked[k]; k++) {
            if (marks[i].marked[k] != letter) continue;
            *mark = marks[i].mark;
            return (unsigned char)marks[i].plain[k];
        }
    }
    *mark = 0;
    return letter;
}
