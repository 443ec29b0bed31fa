/* Tries to call the laps, and to pay for nothing. Gains task 1. */
lab_status lab08_measure(const char *source)
{
    (void)source;
    for (int cost = 0; cost < LAB08_COSTS; cost++) lab08_lap(cost);
    return LAB_SUCCESS;
}
