// A tuning by ask and tell. Each start does a part of it. tests/machines.sh starts it on machines
// of both byte orders, which share the store and the trial log.
//
//     portable N    at most N answers; prints how many were asked for, and the best configuration
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

int main(int argc, char **argv)
{
    static const gputune_param params[] = { { "BLOCK", "range 1,10", NULL },
                                            { "FACTOR", "set 0.1,-2,3", NULL },
                                            { "METHOD", "set rows,columns", NULL },
                                            { NULL, NULL, NULL } };
    const int most = argc > 1 ? atoi(argv[1]) : 0;
    gputune_limits limits; // names the device: its own name would be the processor's
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    char text[128];
    int asked = 0, known = 0;
    memset(&desc, 0, sizeof desc);
    memset(&limits, 0, sizeof limits);
    memcpy(limits.name, "any", 4);
    desc.space.limits = &limits;
    desc.space.params = params;
    desc.space.numbers = "n=1000003";
    desc.name = "portable";
    desc.race = -1;
    tuner = gputune_tuner_create(&desc);
    while (asked < most && gputune_ask(tuner, &config) == GPUTUNE_ASK_CONFIG) {
        const double factor = gputune_config_real(&config, "FACTOR");
        const int block = (int)gputune_config_int(&config, "BLOCK");
        const bool rows = strcmp(gputune_config_name(&config, "METHOD"), "rows") == 0;
        gputune_tell(tuner, &config, (1 + (block - 7) * (block - 7) / 3.0 + factor * factor) / 7e5 *
                                         (rows ? 1 : 1.1));
        asked++;
    }
    while (gputune_tuner_trial(tuner, known)) known++;
    if (gputune_tuner_best(tuner, &config) != GPUTUNE_OK) {
        puts(gputune_tuner_error(tuner)->text);
        return 1;
    }
    printf("%d asked for, %d known, best %s\n", asked, known,
           gputune_config_text(&config, text, sizeof text));
    gputune_tuner_destroy(tuner);
    return 0;
}
