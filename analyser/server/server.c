/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"
#include "assets.h"
#include "hosts.h"
#include "lod.h"
#include "request.h"
#include "watch.h"

#include "base/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* A connection has HEAD_SECONDS for a request's head, so that connections without requests end soon. */
enum {
    FIRST_PORT = 8321,
    LAST_PORT = 8420,
    MAX_CONNECTIONS = 512,
    IDLE_SECONDS = 60,
    HEAD_SECONDS = 5,
    EVENT_SECONDS = 5
};
enum { MAX_WINDOWS = 16 };

struct server {
    struct hosts hosts;
    struct reports *reports;
    struct MHD_Daemon *daemon;
    struct watch *watch;
    struct windows *windows;
    unsigned query_seconds;
};

/* Further servers of this process with their own reports, which pages requested; they end with the first server. */
struct windows {
    pthread_mutex_t lock;
    struct server list[MAX_WINDOWS];
    size_t count;
    bool ending;
};

static const struct route {
    const char *path, *method;
    endpoint *function;
} routes[] = {
#define ENDPOINT(path, function, what)      { "/api/" path, "GET", function },
#define POST_ENDPOINT(path, function, what) { "/api/" path, "POST", function },
#include "endpoints.def"
#undef ENDPOINT
#undef POST_ENDPOINT
};

static const struct {
    const char *ending, *type;
} types[] = { { ".html", "text/html; charset=utf-8" },
              { ".js", "text/javascript; charset=utf-8" },
              { ".css", "text/css; charset=utf-8" },
              { ".svg", "image/svg+xml" },
              { ".png", "image/png" },
              { ".json", "application/json" },
              { "", "application/octet-stream" } };

static const char *type_of(const char *path)
{
    size_t i = 0;
    for (size_t length = strlen(path); *types[i].ending; ++i) {
        size_t ending = strlen(types[i].ending);
        if (length >= ending && strcmp(path + length - ending, types[i].ending) == 0)
            break;
    }
    return types[i].type;
}

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response,
                                     const char *type)
{
    static const char *const headers[][2] = {
        { "X-Content-Type-Options", "nosniff" },
        { "Referrer-Policy", "no-referrer" },
        { "Cross-Origin-Resource-Policy", "same-origin" },
        { "Cache-Control", "no-store" },
        { "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
          "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" },
    };
    if (!response)
        return MHD_NO;
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); ++i)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

/* Takes ownership of a malloc'ed text and copies it, because memory of base/mem.h's reserve must not be passed to
 * free. */
static struct MHD_Response *response_of(char *data, size_t size)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(size, data, MHD_RESPMEM_MUST_COPY);
    free(data);
    return response;
}

static enum MHD_Result send_error(struct MHD_Connection *connection, unsigned status, const char *name,
                                  const char *text)
{
    json_t *json = json_object();
    json_object_set_new(json, "error", answer_string(text));
    json_object_set_new(json, "status", json_string(name));
    char *body = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return send_response(connection, status, response_of(body, body ? strlen(body) : 0), "application/json");
}

static unsigned http_status(pop_status status)
{
    switch (status) {
    case POP_INVALID_OPTION:
    case POP_PARSE_ERROR:
        return MHD_HTTP_BAD_REQUEST;
    case POP_FILE_LOAD_ERROR:
    case POP_MISSING_GRAPH_PROFILE: /* the report was there when it was opened */
        return MHD_HTTP_NOT_FOUND;
    case POP_APPLICATION_RUNTIME_ERROR:
        return MHD_HTTP_CONFLICT;
    default:
        return MHD_HTTP_INTERNAL_SERVER_ERROR;
    }
}

static enum MHD_Result call(struct MHD_Connection *connection, struct request *request, endpoint *function)
{
    struct answer answer = { 0 };
    pop_error error = { 0 };
    struct held held[MAX_REPORTS] = { 0 };
    request->held = held;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    request->socket = info ? (int)info->connect_fd : -1;
    pop_status status = function(request, &answer, &error);
    request_release(request);
    enum MHD_Result result;
    if (status == POP_OK && (answer.failed || (!answer.json && !answer.has_columns && !answer.encoded)))
        status = answer_fail(&error, POP_RUNTIME_ERROR, "%s", ERROR_HOST_MEMORY);
    if (status != POP_OK) {
        result = send_error(connection, http_status(status), pop_status_name(status), error.text);
    } else if (answer.encoded) {
        result = send_response(connection, MHD_HTTP_OK, response_of(answer.encoded, answer.encoded_bytes),
                               "application/x-tremula-columns");
        answer.encoded = NULL;
    } else if (answer.has_columns) {
        size_t size;
        char *data = columns_encode(&answer.columns, &size);
        result = send_response(connection, MHD_HTTP_OK, response_of(data, size), "application/x-tremula-columns");
    } else {
        char *text = json_dumps(answer.json, JSON_COMPACT | JSON_ENCODE_ANY);
        result = send_response(connection, MHD_HTTP_OK, response_of(text, text ? strlen(text) : 0), "application/json");
    }
    answer_clear(&answer);
    return result;
}

struct listener {
    struct events *events;
    uint64_t position;
    char *text;
    size_t at;
};

static ssize_t next_event(void *context, uint64_t at, char *buffer, size_t size)
{
    struct listener *listener = context;
    (void)at;
    if (!listener->text) {
        listener->text = events_next(listener->events, &listener->position, EVENT_SECONDS);
        listener->at = 0;
        if (!listener->text)
            return MHD_CONTENT_READER_END_OF_STREAM;
    }
    size_t left = strlen(listener->text + listener->at), count = left < size ? left : size;
    memcpy(buffer, listener->text + listener->at, count);
    listener->at += count;
    if (count == left) {
        free(listener->text);
        listener->text = NULL;
    }
    return (ssize_t)count;
}

static void end_listener(void *context)
{
    struct listener *listener = context;
    free(listener->text);
    free(listener);
}

static enum MHD_Result send_events(struct server *server, struct MHD_Connection *connection)
{
    struct listener *listener = MEM_NEW(struct listener);
    listener->events = reports_events(server->reports);
    listener->position = events_now(listener->events);
    listener->text = mem_string("retry: 1000\n\n");
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, next_event, listener, end_listener);
    return send_response(connection, MHD_HTTP_OK, response, "text/event-stream");
}

static enum MHD_Result send_asset(struct MHD_Connection *connection, const char *path)
{
    const char *wanted = strcmp(path, "/") == 0 ? "/index.html" : path;
    for (size_t i = 0; i < assets_count; ++i)
        if (strcmp(assets[i].path, wanted) == 0)
            return send_response(connection, MHD_HTTP_OK,
                                 MHD_create_response_from_buffer(assets[i].size, (void *)(uintptr_t)assets[i].data,
                                                                 MHD_RESPMEM_PERSISTENT),
                                 type_of(wanted));
    return send_error(connection, MHD_HTTP_NOT_FOUND, "file_load_error", "no such page");
}

static enum MHD_Result no_route(struct MHD_Connection *connection, const char *path, bool known)
{
    const char *names[sizeof(routes) / sizeof(routes[0])];
    char hint[160], text[320];
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); ++i)
        names[i] = routes[i].path;
    if (known)
        return send_error(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "invalid_option", "the call has another method");
    snprintf(text, sizeof(text), "no call '%.80s'%s", path,
             error_hint(hint, sizeof(hint), path, names, sizeof(names) / sizeof(names[0])));
    return send_error(connection, MHD_HTTP_NOT_FOUND, "invalid_option", text);
}

static enum MHD_Result keep_parameter(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct request *request = context;
    (void)kind;
    if (request->parameters == LARGEST_PARAMETERS)
        return MHD_NO;
    request->parameter[request->parameters].name = mem_string(name);
    request->parameter[request->parameters++].value = mem_string(value);
    return MHD_YES;
}

static enum MHD_Result route(struct server *server, struct MHD_Connection *connection, const char *path,
                             const char *method, struct request *request)
{
    if (strncmp(path, "/api/", 5) != 0) {
        if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
            return send_error(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "invalid_option", "pages are read with GET");
        return send_asset(connection, path);
    }
    if (strcmp(path, "/api/events") == 0 && strcmp(method, "GET") == 0)
        return send_events(server, connection);
    bool known = false;
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); ++i) {
        if (strcmp(routes[i].path, path) != 0)
            continue;
        known = true;
        if (strcmp(routes[i].method, method) != 0)
            continue;
        MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, keep_parameter, request);
        return call(connection, request, routes[i].function);
    }
    return no_route(connection, path, known);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state)
{
    struct server *server = context;
    struct request *request = *state;
    (void)version;
    if (!request) {
        MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)IDLE_SECONDS);
        request = MEM_NEW(struct request);
        request->reports = server->reports;
        request->server = server;
        request->socket = -1;
        *state = request;
        return MHD_YES;
    }
    if (*upload_size) {
        request->too_large = request->too_large || request->body.length + *upload_size > LARGEST_BODY;
        if (!request->too_large)
            str_add_bytes(&request->body, upload, *upload_size);
        *upload_size = 0;
        return MHD_YES;
    }
    if (!hosts_names(&server->hosts, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host")))
        return send_error(connection, MHD_HTTP_FORBIDDEN, "invalid_option", "the Host header names another server");
    if (!hosts_origin(&server->hosts, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin")))
        return send_error(connection, MHD_HTTP_FORBIDDEN, "invalid_option", "requests from other sites are refused");
    if (!hosts_site(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site")) &&
        strcmp(path, "/") != 0) /* other sites may have links to the page */
        return send_error(connection, MHD_HTTP_FORBIDDEN, "invalid_option", "requests from other sites are refused");
    if (request->too_large)
        return send_error(connection, MHD_HTTP_CONTENT_TOO_LARGE, "invalid_option", "the request is larger than 1 MiB");
    return route(server, connection, path, method, request);
}

static void complete(void *context, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode code)
{
    struct request *request = *state;
    (void)context, (void)code;
    if (!request)
        return;
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)HEAD_SECONDS);
    request_clear(request);
    free(request);
    *state = NULL;
}

/* Parses the address to bind; false when it is invalid. */
static bool address_of(const char *text, unsigned port, struct sockaddr_storage *address)
{
    struct sockaddr_in *four = (struct sockaddr_in *)address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
    memset(address, 0, sizeof(*address));
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)port);
        return true;
    }
    six->sin6_family = AF_INET6;
    six->sin6_port = htons((uint16_t)port);
    return inet_pton(AF_INET6, text, &six->sin6_addr) == 1;
}

static bool is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

static struct MHD_Daemon *listen_on(struct server *server, unsigned port)
{
    struct sockaddr_storage address;
    address_of(server->hosts.address, port, &address);
    server->hosts.port = port;
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL |
                     (address.ss_family == AF_INET6 ? MHD_USE_IPv6 : 0);
    return MHD_start_daemon(flags, 0, NULL, NULL, handle, server, MHD_OPTION_SOCK_ADDR, &address,
                            MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
                            (unsigned)HEAD_SECONDS, MHD_OPTION_NOTIFY_COMPLETED, complete, NULL,
                            MHD_OPTION_END); /* not ..._ADDRESS_REUSE, which would let two servers share a port */
}

/* Opens the page in the user's browser, if there is one; errors are ignored. */
static void open_browser(const char *url)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return;
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0)
            execlp("xdg-open", "xdg-open", url, (char *)NULL);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

static pop_status start(struct server *server, const struct server_options *options, pop_error *error)
{
    struct sockaddr_storage address;
    if (!address_of(server->hosts.address, 0, &address))
        return answer_fail(error, POP_INVALID_OPTION, "--address is '%.80s' (allowed: a numeric IPv4 or IPv6 address)",
                           server->hosts.address);
    unsigned last = options->port ? options->port : LAST_PORT;
    for (unsigned port = options->port ? options->port : FIRST_PORT; port <= last && !server->daemon; ++port)
        server->daemon = listen_on(server, port);
    if (!server->daemon && options->port)
        return answer_fail(error, POP_SYSTEM_RUNTIME_ERROR, "port %u of %s is not free", options->port,
                           server->hosts.address);
    if (!server->daemon)
        return answer_fail(error, POP_SYSTEM_RUNTIME_ERROR, "no port from %d to %d of %s is free", FIRST_PORT,
                           LAST_PORT, server->hosts.address);
    return POP_OK;
}

static void announce(const struct server *server, const struct server_options *options)
{
    char url[128];
    bool six = strchr(server->hosts.address, ':') != NULL;
    snprintf(url, sizeof(url), "http://%s%s%s:%u/", six ? "[" : "", server->hosts.address, six ? "]" : "",
             server->hosts.port);
    printf("Serving");
    for (size_t i = 0; i < options->count; ++i)
        printf("%s %s", i ? " and" : "", options->directories[i]);
    printf(" at %s\n", url);
    fflush(stdout);
    if (options->browser)
        open_browser(url);
}

/* Opens the reports and starts to serve them. */
static pop_status begin(struct server *server, const struct server_options *options, pop_error *error)
{
    server->hosts.loopback = is_loopback(server->hosts.address);
    server->reports = reports_new();
    pop_status status = POP_OK;
    if (options->count && !options->live)
        status = reports_open(server->reports, options->directories, options->count, error);
    if (status == POP_OK)
        status = start(server, options, error);
    if (status == POP_OK) {
        reports_prepare(server->reports, lod_prepare);
        server->watch = watch_begin(server->reports, options->directories, options->live ? options->count : 0);
    } else {
        reports_free(server->reports);
    }
    return status;
}

static void end(struct server *server)
{
    reports_end(server->reports);
    watch_end(server->watch);
    MHD_stop_daemon(server->daemon);
    reports_free(server->reports);
}

unsigned server_query_seconds(const struct request *request)
{
    return request->server->query_seconds;
}

pop_status server_window(const struct request *request, unsigned *port, pop_error *error)
{
    struct windows *windows = request->server->windows;
    const struct server_options options = { 0 };
    pop_status status;
    pthread_mutex_lock(&windows->lock);
    struct server *server = &windows->list[windows->count];
    if (windows->ending || windows->count == MAX_WINDOWS) {
        status = answer_fail(error, POP_APPLICATION_RUNTIME_ERROR,
                             "%d windows were opened; end pva serve and start it again to have others", MAX_WINDOWS);
    } else {
        *server = (struct server){ .hosts = { .address = request->server->hosts.address },
                                   .windows = windows,
                                   .query_seconds = request->server->query_seconds };
        status = begin(server, &options, error);
    }
    if (status == POP_OK) {
        ++windows->count;
        *port = server->hosts.port;
    }
    pthread_mutex_unlock(&windows->lock);
    return status;
}

pop_status server_run(const struct server_options *options, pop_error *error)
{
    struct windows windows = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct server server = { .hosts = { .address = options->address ? options->address : "127.0.0.1" },
                             .windows = &windows,
                             .query_seconds = options->query_seconds };
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* threads inherit the mask: only sigwait below receives the signals */
    signal(SIGPIPE, SIG_IGN);
    pop_status status = begin(&server, options, error);
    if (status != POP_OK)
        return status;
    announce(&server, options);
    int signal_number;
    sigwait(&ends, &signal_number);
    pthread_mutex_lock(&windows.lock);
    windows.ending = true;
    pthread_mutex_unlock(&windows.lock);
    end(&server);
    for (size_t i = 0; i < windows.count; ++i)
        end(&windows.list[i]);
    return POP_OK;
}
