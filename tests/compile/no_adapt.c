// Compiled with GPUTUNE_NO_ADAPT: adapters say why they cannot be had.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

static int refused(gputune_result result)
{
    return result == GPUTUNE_ERROR_UNSUPPORTED;
}

int main(void)
{
    static const gputune_param params[] = { { "B", "set 1,2", NULL }, { NULL, NULL, NULL } };
    static const gputune_feature feature = { "n", NULL };
    gputune_adapter_desc desc;
    gputune_adapter *a;
    gputune_prediction prediction;
    gputune_adapt_score own, standard;
    gputune_config config;
    char *text;
    const double x = 1;
    int right;
    memset(&desc, 0, sizeof desc);
    memset(&config, 0, sizeof config);
    desc.params = params;
    desc.features = &feature;
    desc.feature_count = 1;
    a = gputune_adapter_create(&desc);
    right = strstr(gputune_adapter_error(a)->text, "GPUTUNE_NO_ADAPT") != NULL &&
            refused(gputune_adapter_add(a, &x, &config, 1)) &&
            refused(gputune_adapter_learn(a, NULL)) &&
            refused(gputune_adapter_predict(a, &x, &prediction)) &&
            refused(gputune_adapter_validate(a, &own, &standard)) &&
            refused(gputune_adapter_save(a, "adapter.txt")) &&
            refused(gputune_adapter_load(a, "adapter.txt")) &&
            refused(gputune_adapter_c(a, "choose", &text)) && text == NULL &&
            gputune_adapter_space(a) == NULL;
    gputune_adapter_destroy(a);
    return !right;
}
