/* The handlers of library. Written once by hardwire; yours from now on.
 *
 * library.h declares them. What a handler may call is documented in <hardwire/hardwire.h>.
 */
#include "library.h"

void ant_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "ant_get is not written yet\n");
}

void ant_put(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "ant_put is not written yet\n");
}

void feed(const struct hw_request *request, struct hw_response *response, const struct library_feed_params *params)
{
    (void)request;
    (void)params;
    hw_status_set(response, 501);
    hw_text_send(response, "feed is not written yet\n");
}

void bee_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "bee_get is not written yet\n");
}

void cat_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "cat_get is not written yet\n");
}

void dog_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "dog_get is not written yet\n");
}

void eel_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "eel_get is not written yet\n");
}

void fox_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "fox_get is not written yet\n");
}

void fox_put(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "fox_put is not written yet\n");
}

void gnu_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "gnu_get is not written yet\n");
}

void hen_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "hen_get is not written yet\n");
}

void ibis_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "ibis_get is not written yet\n");
}

void jay_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "jay_get is not written yet\n");
}

void kite_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "kite_get is not written yet\n");
}

void kite_put(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "kite_put is not written yet\n");
}

void lynx_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "lynx_get is not written yet\n");
}

void mole_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "mole_get is not written yet\n");
}

void newt_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "newt_get is not written yet\n");
}

void owl_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "owl_get is not written yet\n");
}

void pig_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "pig_get is not written yet\n");
}

void pig_put(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "pig_put is not written yet\n");
}

void quail_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "quail_get is not written yet\n");
}

void rat_get(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 501);
    hw_text_send(response, "rat_get is not written yet\n");
}
