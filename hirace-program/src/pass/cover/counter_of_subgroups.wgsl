var<private> hirace_ran_N: u32;
var<private> hirace_led_N: u32;
fn hirace_count_N() {
    hirace_ran_N += 1u;
    hirace_led_N += hirace_leads();
}
