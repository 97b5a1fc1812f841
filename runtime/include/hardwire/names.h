/* Gives every function that handlers and generated code share with the runtime the product's own prefix.
 *
 * C has one space of external names: without this, two generated servers in one program would share one runtime, and
 * run with the limits of whichever was linked first. HW_PREFIX is set by the generated NAME.h; a file that includes the
 * headers of two products may start and stop both, but not call hw_ functions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HARDWIRE_NAMES_H
#define HARDWIRE_NAMES_H

#ifndef HW_PREFIX
#error "include the generated NAME.h instead of a file of <hardwire/>"
#endif

#define HW_PASTE_(prefix, name) prefix##_##name
#define HW_PASTE(prefix, name) HW_PASTE_(prefix, name)
#define HW_NAME(name) HW_PASTE(HW_PREFIX, name)

#define hw_method_get HW_NAME(hw_method_get)
#define hw_target_get HW_NAME(hw_target_get)
#define hw_path_get HW_NAME(hw_path_get)
#define hw_host_get HW_NAME(hw_host_get)
#define hw_field_get HW_NAME(hw_field_get)
#define hw_fields_visit HW_NAME(hw_fields_visit)
#define hw_parameter_get HW_NAME(hw_parameter_get)
#define hw_cookie_get HW_NAME(hw_cookie_get)
#define hw_body_get HW_NAME(hw_body_get)
#define hw_body_size_get HW_NAME(hw_body_size_get)
#define hw_state_get HW_NAME(hw_state_get)
#define hw_status_set HW_NAME(hw_status_set)
#define hw_field_add HW_NAME(hw_field_add)
#define hw_bytes_send HW_NAME(hw_bytes_send)
#define hw_text_send HW_NAME(hw_text_send)
#define hw_json_send HW_NAME(hw_json_send)
#define hw_empty_send HW_NAME(hw_empty_send)
#define hw_borrowed_send HW_NAME(hw_borrowed_send)
#define hw_chunk_send HW_NAME(hw_chunk_send)
#define hw_media_type_set HW_NAME(hw_media_type_set)
#define hw_stream_end HW_NAME(hw_stream_end)
#define hw_suspend HW_NAME(hw_suspend)
#define hw_resume HW_NAME(hw_resume)
#define hw_is_cancelled HW_NAME(hw_is_cancelled)
#define hw_log HW_NAME(hw_log)

/* For generated code (hardwire/generated.h). */
#define hw_capture_get HW_NAME(hw_capture_get)
#define hw_capture_u64 HW_NAME(hw_capture_u64)
#define hw_capture_i64 HW_NAME(hw_capture_i64)
#define hw_capture_refuse HW_NAME(hw_capture_refuse)
#define hw_server_start HW_NAME(hw_server_start)
#define hw_server_stop HW_NAME(hw_server_stop)
#define hw_server_reload HW_NAME(hw_server_reload)
#define hw_server_port HW_NAME(hw_server_port)
#define hw_server_main HW_NAME(hw_server_main)

#endif
