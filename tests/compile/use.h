// Uses the library a little, so that the checks link and run something. C99 and C++11.
static int use_gputune(void)
{
    static const gputune_param params[] = { { "A", "set 1,2,4", NULL }, { "B", "range 1,3", NULL },
                                            { NULL, NULL, NULL } };
    static const char *const require[] = { "A * B <= 4", NULL };
    static gputune_space_desc desc; // all zero
    gputune_space *space;
    int wrong;
    desc.params = params;
    desc.require = require;
    space = gputune_space_create(&desc);
    wrong = gputune_space_count(space) != 6;
    gputune_space_destroy(space);
    return wrong;
}
