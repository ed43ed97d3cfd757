/* traffic.c -- how many bytes come into each cache.
 *
 * An access steps by a known stride along each loop. So the places that it touches in all iterations
 * of some inner loops are a box, and the footprint of a body is the sum of the boxes' bytes, joined by
 * buffer. If the footprint of a loop fits into the usable part of a cache, each line of it comes in
 * once. Otherwise each iteration brings what it needs, unless one iteration does not fit either.
 * Memory that is allocated inside the loop is reused, and stays in the cache if it fits.
 *
 * A cache is sets of lines. Rows that lie a multiple of many lines apart fall into few of its sets: then they
 * take up as much of the cache as lines in all sets would.
 *
 * From afar, bytes come faster when they lie together: the machine fetches ahead once it has seen a few lines
 * of a run. So each run of a box counts as so many bytes more. */
#include "autoschedule/internal.h"

#include <math.h>

/* ---- buffers ---- */

static void set_steps(Buffer *buffer, const uint8_t *order) {
    double step = 1;
    for (int n = 0; n < buffer->dimensions; n++) {
        int d = order ? order[n] : n;
        buffer->step[d] = step;
        step *= buffer->fold[d] > 0 ? buffer->fold[d] : buffer->length[d];
    }
}

static const uint8_t INTERLEAVED[MAX_DIMENSIONS] = {2, 0, 1, 3, 4, 5, 6, 7};

static Buffer *new_buffers(Model *model, Symbol name, int components) {
    Buffer *buffers = arena_array(model->arena, Buffer, components);
    map_put(&model->buffers, name, buffers);
    return buffers;
}

static Buffer *image_buffer(Model *model, const ImageParameter *image) {
    Buffer *buffer = new_buffers(model, image->name, 1);
    Pool *pool = model->program->pool;
    buffer->dimensions = image->dimensions;
    buffer->element = type_bytes(image->type);
    for (int d = 0; d < image->dimensions; d++) {
        Expr length = expr_buffer_field(pool, image->name, FIELD_EXTENT, d);
        buffer->length[d] = fmax(1, (double)worlds_typical(&model->worlds, length, 1));
        buffer->minimum[d] =
            worlds_value(&model->worlds, expr_buffer_field(pool, image->name, FIELD_MINIMUM, d));
    }
    double bytes = buffer->element;
    for (int d = 0; d < image->dimensions; d++)
        bytes *= buffer->length[d];
    model->all_bytes += bytes;
    set_steps(buffer,
              image->layout == LAYOUT_INTERLEAVED && image->dimensions > 2 ? INTERLEAVED : NULL);
    return buffer;
}

Buffer *model_buffer(Model *model, Symbol name, int component) {
    Buffer *buffers = map_get(&model->buffers, name);
    if (buffers)
        return &buffers[component];
    const ImageParameter *image = signature_image(model->program->signature, name);
    return image ? image_buffer(model, image) : NULL;
}

static bool is_interleaved(const Model *model, const FuncShape *shape) {
    const Signature *signature = model->program->signature;
    for (size_t i = 0; i < signature->outputs.length; i++)
        if (signature->outputs.data[i].func == shape->name)
            return signature->outputs.data[i].layout == LAYOUT_INTERLEAVED && shape->dimensions > 2;
    return false;
}

void model_allocate(Model *model, const Stmt *allocate) {
    const FuncShape *shape = allocate->allocate.func;
    Buffer *buffers = new_buffers(model, shape->name, shape->components);
    int world = model->worlds.count - 1;
    for (int c = 0; c < shape->components; c++) {
        Buffer *buffer = &buffers[c];
        buffer->dimensions = shape->dimensions;
        buffer->element = type_bytes(shape->types[c]);
        buffer->world = world;
        buffer->is_temporary = !shape->is_output;
        for (int d = 0; d < shape->dimensions; d++) {
            Extent extent = allocate->allocate.intervals[d];
            Expr fold = allocate->allocate.folds ? allocate->allocate.folds[d] : NULL;
            buffer->length[d] = fmax(1, (double)worlds_typical(&model->worlds, extent.length, 1));
            buffer->fold[d] = fold ? (double)worlds_typical(&model->worlds, fold, 0) : 0;
            buffer->minimum[d] = worlds_value(&model->worlds, extent.minimum);
        }
        set_steps(buffer,
                  is_interleaved(model, shape) ? INTERLEAVED : allocate->allocate.storage->order);
    }
}

/* ---- accesses ---- */

static int64_t value_at(const WorldValue *value, int world) {
    return value ? value->at[world < value->count ? world : 0] : 0;
}

Access *model_access(Model *model, Buffer *buffer, const Expr *indices, bool is_store) {
    Access *access = arena_new(model->arena, Access);
    int worlds = model->worlds.count;
    access->buffer = buffer;
    access->is_store = is_store;
    access->worlds = worlds;
    access->stride = arena_array(model->arena, double, worlds *MAX_DIMENSIONS);
    double *iterations = arena_array(model->arena, double, worlds);
    for (int w = 1; w < worlds; w++)
        iterations[w] = model->iterations[w];
    access->iterations = iterations;
    for (int d = 0; d < buffer->dimensions; d++) {
        const WorldValue *index = worlds_value(&model->worlds, indices[d]);
        access->unknown[d] = !index->is_known;
        if (!index->is_known) {
            for (int w = 1; w < worlds; w++)
                access->stride[w * MAX_DIMENSIONS + d] = index->depends >> w & 1 ? HUGE_VAL : 0;
            continue;
        }
        access->base[d] = (double)(value_at(index, 0) - value_at(buffer->minimum[d], 0));
        for (int w = 1; w < worlds; w++) {
            int64_t step = worlds_step((int64_t)iterations[w]);
            int64_t moved = value_at(index, w) - value_at(index, 0) -
                            (value_at(buffer->minimum[d], w) - value_at(buffer->minimum[d], 0));
            access->stride[w * MAX_DIMENSIONS + d] = step ? (double)moved / (double)step : 0;
        }
    }
    vec_push(model->arena, &model->accesses, access);
    return access;
}

double access_step(const Access *access, int world, bool *is_known) {
    double step = 0;
    *is_known = true;
    for (int d = 0; world && d < access->buffer->dimensions; d++) {
        double stride = access->stride[world * MAX_DIMENSIONS + d];
        if (isinf(stride))
            *is_known = false;
        else
            step += stride * access->buffer->step[d];
    }
    return step;
}

/* ---- footprints ---- */

typedef struct Touched {
    double bytes[CACHE_LEVELS]; /* that all lines take up of each cache */
    double cold;                /* of those that come from outside, and go back */
    double far;                 /* the same, with the beginnings of runs */
} Touched;

enum {
    RUN_BYTES = 128, /* that the beginning of a run counts as */
    WAYS = 8,        /* lines of a set */
    SET_LEVELS = 2   /* caches whose sets are chosen by the address alone */
};

/* Adds the box of the access over the loops from `world` on to that of its buffer. */
static void join(Access *access, int world, bool is_fresh) {
    Buffer *buffer = access->buffer;
    for (int d = 0; d < buffer->dimensions; d++) {
        double reach = 0;
        for (int w = world; w < access->worlds; w++)
            reach += fabs(access->stride[w * MAX_DIMENSIONS + d]) * (access->iterations[w] - 1);
        double low = access->base[d] - reach / 2, high = access->base[d] + reach / 2 + 1;
        if (access->unknown[d] || reach + 1 > buffer->length[d]) {
            low = 0;
            high = buffer->length[d];
        }
        buffer->low[d] = is_fresh ? low : fmin(low, buffer->low[d]);
        buffer->high[d] = is_fresh ? high : fmax(high, buffer->high[d]);
    }
}

/* `*runs`: how many of consecutive elements. */
static double box_bytes(const Machine *machine, const Buffer *buffer, double *runs) {
    double bytes = buffer->element;
    *runs = 1;
    for (int d = 0; d < buffer->dimensions; d++) {
        double length = buffer->high[d] - buffer->low[d];
        if (buffer->fold[d] > 0)
            length = fmin(length, buffer->fold[d]);
        length = fmin(length, buffer->length[d]);
        if (buffer->step[d] == 1)
            length = fmax(length, machine->line_bytes / buffer->element);
        else
            *runs *= length;
        bytes *= length;
    }
    return bytes;
}

static int64_t common_divisor(int64_t a, int64_t b) {
    return b ? common_divisor(b, a % b) : a;
}

/* By how much more than its bytes the box of a buffer takes up of a cache. */
static double crowding(const Machine *machine, const Buffer *buffer, int level) {
    double rows = 1, distance = 0, run = machine->line_bytes;
    for (int d = 0; d < buffer->dimensions; d++) {
        double length = fmin(buffer->high[d] - buffer->low[d], buffer->length[d]);
        double step = buffer->step[d] * buffer->element;
        if (buffer->step[d] == 1) {
            run = fmax(run, length * buffer->element);
        } else if (length > 1 && (distance == 0 || step < distance)) {
            distance = step;
            rows = length;
        }
    }
    int64_t sets = (int64_t)(machine->cache_bytes[level] / machine->line_bytes / WAYS);
    int64_t apart = (int64_t)(distance / machine->line_bytes);
    if (level >= SET_LEVELS || sets < 1 || apart < 1 ||
        (double)apart * machine->line_bytes != distance)
        return 1;
    int64_t together = common_divisor(sets, apart);
    double lines = ceil(run / machine->line_bytes);
    double used = (double)(sets / together) * fmin(lines, (double)together);
    return rows > (double)(sets / together) ? fmax(1, (double)sets / used) : 1;
}

/* The footprint of the loops from `world` on, in the accesses from `first` on. */
static Touched footprint(Model *model, size_t first, int world) {
    Vec(Buffer *) touched = {0};
    model->stamp++;
    for (size_t i = first; i < model->accesses.length; i++) {
        Access *access = model->accesses.data[i];
        Buffer *buffer = access->buffer;
        bool is_fresh = buffer->stamp != model->stamp;
        if (is_fresh) {
            vec_push(model->arena, &touched, buffer);
            buffer->stamp = model->stamp;
            buffer->is_stored = false;
        }
        join(access, world, is_fresh);
        buffer->is_stored |= access->is_store;
    }
    Touched sum = {0};
    for (size_t i = 0; i < touched.length; i++) {
        const Buffer *buffer = touched.data[i];
        double runs, bytes = box_bytes(model->machine, buffer, &runs);
        for (int c = 0; c < CACHE_LEVELS; c++)
            sum.bytes[c] += bytes * crowding(model->machine, buffer, c);
        if (!buffer->is_temporary || buffer->world < world) {
            sum.cold += buffer->is_stored ? 2 * bytes : bytes;
            sum.far += buffer->is_stored ? 2 * bytes : bytes;
            sum.far += runs * RUN_BYTES;
        }
    }
    return sum;
}

void model_loop_traffic(Model *model, const Frame *frame, double *traffic) {
    const Machine *machine = model->machine;
    if (!frame->world)
        return;
    Touched body = footprint(model, frame->first_access, frame->world + 1);
    Touched loop = footprint(model, frame->first_access, frame->world);
    for (int c = 0; c < CACHE_LEVELS; c++) {
        double usable = machine->cache_bytes[c] * machine->usable;
        double once = traffic[c]; /* of all lanes together */
        if (frame->kind != LOOP_LANES && body.bytes[c] <= usable)
            once = fmin(once, c ? body.far : body.cold);
        double all = (frame->kind == LOOP_LANES ? frame->iterations > 0 : frame->iterations) * once;
        traffic[c] = loop.bytes[c] <= usable ? fmin(all, c ? loop.far : loop.cold) : all;
    }
}
