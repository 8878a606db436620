/* Stands in for the three libraries of CANN: writes down every call with its arguments, and fails where a test asks for it.
   Built once for each of them, with ASCENDCL, MSPROFILER or TOOLS_EXT defined. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static char log_path[4096];
static char failing[128];
static int failing_code;

void stand_in_log_to(const char *path) { snprintf(log_path, sizeof log_path, "%s", path); }

void stand_in_fail(const char *function, int code) {
    snprintf(failing, sizeof failing, "%s", function);
    failing_code = code;
}

#define NOTE(...)                              \
    do {                                       \
        FILE *file = fopen(log_path, "a");     \
        if (file) {                            \
            fprintf(file, __VA_ARGS__);        \
            fclose(file);                      \
        }                                      \
    } while (0)

static int code_of(const char *function) { return strcmp(function, failing) == 0 ? failing_code : 0; }

#ifdef ASCENDCL
struct config { int alive; };
static struct config only;

int aclprofInit(const char *path, size_t length) {
    NOTE("Init %s %zu\n", path, length);
    return code_of("aclprofInit");
}
int aclprofFinalize(void) {
    NOTE("Finalize\n");
    return code_of("aclprofFinalize");
}
struct config *aclprofCreateConfig(uint32_t *devices, uint32_t count, uint32_t metrics, const void *events, uint64_t mask) {
    NOTE("CreateConfig %u of %u metrics 0x%x events %s mask 0x%llx\n", devices[0], count, metrics,
         events ? "some" : "none", (unsigned long long)mask);
    if (code_of("aclprofCreateConfig")) return NULL;
    only.alive++;
    return &only;
}
int aclprofDestroyConfig(const struct config *config) {
    NOTE("DestroyConfig %d\n", config == &only ? only.alive-- : -1);
    return code_of("aclprofDestroyConfig");
}
int aclprofStart(const struct config *config) {
    NOTE("Start %d\n", config == &only ? only.alive : -1);
    return code_of("aclprofStart");
}
#ifndef TOO_OLD
int aclprofStop(const struct config *config) {
    NOTE("Stop %d\n", config == &only ? only.alive : -1);
    return code_of("aclprofStop");
}
#endif
#endif

#ifdef MSPROFILER
int aclprofWarmup(const void *config) {
    NOTE("Warmup %s\n", config ? "config" : "null");
    return code_of("aclprofWarmup");
}
int aclprofSetConfig(int type, const char *value, size_t length) {
    NOTE("SetConfig %d %s %zu\n", type, value, length);
    return code_of("aclprofSetConfig");
}
int aclprofRegisterDeviceCallback(void) {
    NOTE("RegisterDeviceCallback\n");
    return code_of("aclprofRegisterDeviceCallback");
}
#endif

#ifdef TOOLS_EXT
static uint64_t ranges = 100;
static char domains[16];
static int domain_count;

static int number_of(void *domain) { return (int)((char *)domain - domains); }

void mstxMarkA(const char *message, void *stream) { NOTE("mark %s stream %zx\n", message, (size_t)stream); }
uint64_t mstxRangeStartA(const char *message, void *stream) {
    NOTE("start %s stream %zx\n", message, (size_t)stream);
    return ++ranges;
}
void mstxRangeEnd(uint64_t id) { NOTE("end %llu\n", (unsigned long long)id); }
void *mstxDomainCreateA(const char *name) {
    NOTE("create %s\n", name);
    return code_of("mstxDomainCreateA") ? NULL : &domains[++domain_count];
}
void mstxDomainMarkA(void *domain, const char *message, void *stream) {
    NOTE("domain %d mark %s stream %zx\n", number_of(domain), message, (size_t)stream);
}
uint64_t mstxDomainRangeStartA(void *domain, const char *message, void *stream) {
    NOTE("domain %d start %s stream %zx\n", number_of(domain), message, (size_t)stream);
    return ++ranges;
}
void mstxDomainRangeEnd(void *domain, uint64_t id) {
    NOTE("domain %d end %llu\n", number_of(domain), (unsigned long long)id);
}
#endif
