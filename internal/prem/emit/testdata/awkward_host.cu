// Host program of main_ in awkward.c. Build: nvcc -o main_ THIS.cu -lpthread
#include <cuda_runtime.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "kernels.cu"
#define WB_ARRAYS 6
#define WB_SCALARS 4
#define WB_KERNELS 3
#define WB_RANK 2
#define WB_GUARD 0
static const char *const wb_scalar_name[] = {"new", "threadIdx", "kernel", "__global"};
static const char *wb_scalar_text[] = {"24", 0, 0, 0};


static const struct wb_member wb_members_0[] = {
    {"time", WB_FLOAT, 0, {37, 11, 211, 97, -1.0, 0.0}},
};
static const struct wb_member wb_members_1[] = {
    {"index", WB_LONG, 0, {37, 11, 211, 97, -1.0, 0.0}},
};
static const struct wb_member wb_members_2[] = {
    {"wb_repeat", WB_INT, 0, {37, 11, 211, 97, -1.0, 0.0}},
};
static const struct wb_member wb_members_3[] = {
    {"float4", WB_FLOAT, 0, {37, 11, 211, 97, -1.0, 0.0}},
};
static const struct wb_member wb_members_4[] = {
    {"class", WB_LONG, 0, {37, 11, 211, 97, -1.0, 0.0}},
};
static const struct wb_member wb_members_5[] = {
    {"this", WB_FLOAT, 0, {37, 11, 211, 97, -1.0, 0.0}},
};
struct wb_array wb_arrays[] = {
    {"time", 4, 2, 1, {0}, wb_members_0, 0, 0, 0},
    {"index", 8, 1, 1, {0}, wb_members_1, 0, 0, 0},
    {"wb_repeat", 4, 1, 1, {0}, wb_members_2, 0, 0, 0},
    {"float4", 4, 2, 1, {0}, wb_members_3, 0, 0, 0},
    {"class", 8, 1, 1, {0}, wb_members_4, 0, 0, 0},
    {"this", 4, 1, 1, {0}, wb_members_5, 0, 0, 0},
};

namespace wb {

static float (*time)[10];
static long long *index;
static long long *partial_template_teams;
static int *partial_private_teams;
static double *partial_half_teams;

static void main_(int new_, int threadIdx_, float kernel_, double global_, int *v_wb_repeat_, float *float4_, long long *class_, float *this_)  // awkward.c:6
{
    float local_ = wb_mulf(kernel_, 3.0f) + 0.1f;  // awkward.c:9
    long long template_ = 1LL;  // awkward.c:10
    int private_ = 100;  // awkward.c:11
    double half_ = 0.25;  // awkward.c:12
    for (int using_ = 0; using_ < 2; using_++) {  // awkward.c:13
        wb_start();
        main__0_sdma<<<2, 32>>>(new_, threadIdx_, kernel_, v_wb_repeat_, float4_, time, using_);  // awkward.c:14
        wb_stop(0);
    }
    wb_start();
    main__1_sdma<<<3, 32>>>(new_, v_wb_repeat_, index, partial_template_teams, partial_private_teams, partial_half_teams);  // awkward.c:22
    wb_stop(1);
    for (int wb_team = 0; wb_team < 3; wb_team++)
        template_ *= partial_template_teams[wb_team];
    for (int wb_team = 0; wb_team < 3; wb_team++)
        private_ = partial_private_teams[wb_team] < private_ ? partial_private_teams[wb_team] : private_;
    for (int wb_team = 0; wb_team < 3; wb_team++)
        half_ += partial_half_teams[wb_team];
    class_[0] = template_;  // awkward.c:30
    if (private_ > -7) {  // awkward.c:31
        class_[1] = private_ * 2 - 1;  // awkward.c:32
    } else {
        class_[1] = -private_;  // awkward.c:34
    }
    class_[2] = (long long)wb_mul(half_, global_);  // awkward.c:36
    class_[3] = local_ > 1.0f ? 1 : 0;  // awkward.c:37
    wb_start();
    main__2_sdma<<<1, 32>>>(this_, local_);  // awkward.c:38
    wb_stop(2);
}

static int run(int argc, char **argv)
{
    wb_options(argc, argv);
    int new_ = (int)wb_number(wb_scalar(0), INT_MIN, INT_MAX, wb_scalar_name[0]);
    int threadIdx_ = (int)wb_number(wb_scalar(1), INT_MIN, INT_MAX, wb_scalar_name[1]);
    float kernel_ = wb_realf(wb_scalar(2), wb_scalar_name[2]);
    double global_ = wb_real(wb_scalar(3), wb_scalar_name[3]);
    wb_arrays[0].dims[0] = 6;
    wb_arrays[0].dims[1] = 10;
    wb_arrays[1].dims[0] = 24;
    wb_arrays[2].dims[0] = new_;
    wb_arrays[3].dims[1] = threadIdx_;
    wb_arrays[4].dims[0] = 4;
    for (int wb_i = 0; wb_i < WB_ARRAYS; wb_i++)
        WB_CUDA(cudaMallocManaged((void **)&wb_arrays[wb_i].memory, wb_elements(&wb_arrays[wb_i]) * wb_arrays[wb_i].element, cudaMemAttachGlobal));
    WB_CUDA(cudaEventCreate(&wb_before));
    WB_CUDA(cudaEventCreate(&wb_after));
    time = (float (*)[10])wb_arrays[0].memory;
    index = (long long *)wb_arrays[1].memory;
    WB_CUDA(cudaMallocManaged((void **)&partial_template_teams, 3 * sizeof *partial_template_teams, cudaMemAttachGlobal));
    WB_CUDA(cudaMallocManaged((void **)&partial_private_teams, 3 * sizeof *partial_private_teams, cudaMemAttachGlobal));
    WB_CUDA(cudaMallocManaged((void **)&partial_half_teams, 3 * sizeof *partial_half_teams, cudaMemAttachGlobal));
    for (int wb_run = 0; wb_run < wb_repeat; wb_run++) {
        for (int wb_i = 0; wb_i < WB_ARRAYS; wb_i++)
            wb_fill(&wb_arrays[wb_i]);
        main_(new_, threadIdx_, kernel_, global_, (int *)wb_arrays[2].memory, (float *)wb_arrays[3].memory, (long long *)wb_arrays[4].memory, (float *)wb_arrays[5].memory);
    }
    for (int wb_i = 0; wb_i < WB_ARRAYS; wb_i++)
        wb_save(&wb_arrays[wb_i], wb_folder);
    if (wb_time && wb_times[0].launches)
        printf("%s launches %ld, us: least %.3f, mean %.3f, most %.3f\n", "main__0_sdma", wb_times[0].launches,
               wb_times[0].least * 1e3, wb_times[0].sum / wb_times[0].launches * 1e3, wb_times[0].most * 1e3);
    if (wb_time && wb_times[1].launches)
        printf("%s launches %ld, us: least %.3f, mean %.3f, most %.3f\n", "main__1_sdma", wb_times[1].launches,
               wb_times[1].least * 1e3, wb_times[1].sum / wb_times[1].launches * 1e3, wb_times[1].most * 1e3);
    if (wb_time && wb_times[2].launches)
        printf("%s launches %ld, us: least %.3f, mean %.3f, most %.3f\n", "main__2_sdma", wb_times[2].launches,
               wb_times[2].least * 1e3, wb_times[2].sum / wb_times[2].launches * 1e3, wb_times[2].most * 1e3);
    return 0;
}
}

int main(int argc, char **argv) { return wb::run(argc, argv); }
