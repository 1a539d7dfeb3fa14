// Uses the library a little, so that the checks link and run something. C99 and C++11.
static int use_gputune(void)
{
    gputune_space *space = gputune_space_create(NULL);
    int wrong = !space || gputune_space_param(space, "A", "set 1,2,4", NULL) != GPUTUNE_OK ||
                gputune_space_param(space, "B", "range 1,3", NULL) != GPUTUNE_OK ||
                gputune_space_require(space, "A * B <= 4") != GPUTUNE_OK ||
                gputune_space_build(space) != GPUTUNE_OK || gputune_space_count(space) != 6;
    gputune_space_destroy(space);
    return wrong;
}
