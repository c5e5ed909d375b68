// The functions of rocRAND that rocm-rs's pseudorandom generator calls, where there is no AMD GPU to run the real ones on: numbers
// of a small generator (splitmix64), put into device memory in the order of the generator's stream. Other numbers than rocRAND's.

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { SUCCESS = 0, NOT_CREATED = 101, ALLOCATION_FAILED = 102, LAUNCH_FAILURE = 107 };
enum { HOST_TO_DEVICE = 1 };

int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int hipLaunchHostFunc(void *stream, void (*function)(void *), void *data);

struct generator {
    uint64_t state;
    void *stream;
};

static uint64_t next(struct generator *generator) {
    uint64_t z = generator->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int rocrand_create_generator(struct generator **made, int type) {
    (void)type;
    *made = calloc(1, sizeof **made);
    return *made ? SUCCESS : ALLOCATION_FAILED;
}

int rocrand_destroy_generator(struct generator *generator) {
    free(generator);
    return SUCCESS;
}

int rocrand_set_seed(struct generator *generator, unsigned long long seed) {
    if (!generator)
        return NOT_CREATED;
    generator->state = seed;
    return SUCCESS;
}

int rocrand_set_stream(struct generator *generator, void *stream) {
    if (!generator)
        return NOT_CREATED;
    generator->stream = stream;
    return SUCCESS;
}

// Above 0, up to 1, as rocRAND says.
int rocrand_generate_uniform(struct generator *generator, float *out, size_t count) {
    if (!generator)
        return NOT_CREATED;
    float *values = malloc(count * sizeof *values + 1);
    if (!values)
        return ALLOCATION_FAILED;
    for (size_t i = 0; i < count; i++)
        values[i] = (float)((next(generator) >> 40) + 1) * 0x1p-24f;
    if (hipMemcpyAsync(out, values, count * sizeof *values, HOST_TO_DEVICE, generator->stream) ||
        hipLaunchHostFunc(generator->stream, free, values))
        return LAUNCH_FAILURE;
    return SUCCESS;
}
