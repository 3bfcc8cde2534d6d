"""The list of abuses, T1 to T74: what is tried, and which tests stand for it, by their place beneath tests/.

One line each; tests/house/test_abuses.py holds it against the tests that there are. T15 to T19, T58 and T59 do not exist. A number
in `LATER` has no test yet, or not for all that it says: whoever writes one fills the line and takes the number out.
"""

LATER = {5, 6, 7, 8, 10, 11, 12, 23, 30, 37, 38, 39, 42, 43, 44, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 60, 61, 62, 63,
         64, 65, 66, 67, 68, 69, 73, 74}  # fmt: skip
WHOLE = {*range(1, 15), *range(20, 58), *range(60, 75)}

# fmt: off
ABUSES: dict[int, tuple[str, ...]] = {
    # Files out
    1: ("reading files of others",
        "sandbox/test_files.py::test_files_of_others_cannot_be_read", "sandbox/test_files.py::test_folders_of_others_cannot_be_listed"),
    2: ("writing outside", "sandbox/test_files.py::test_nothing_outside_scratch_can_be_written"),
    3: ("dots", "sandbox/test_files.py::test_dots_lead_nowhere"),
    4: ("links of /proc", "sandbox/test_files.py::test_links_of_proc_lead_to_the_same_root",
        "sandbox/test_files.py::test_links_of_proc_lead_nowhere_where_restricted"),
    9: ("hard links of files outside", "sandbox/test_files.py::test_no_hard_link_into_the_workspace"),
    11: ("a folder swapped for a link before it is bound", "sandbox/test_files.py::test_a_workspace_that_became_a_link_is_not_bound",
         "sandbox/test_levels.py::test_each_worse_report_is_noticed"),
    12: ("links planted in front of the set-up", "sandbox/test_files.py::test_planted_links_are_not_followed_by_the_set_up"),
    13: ("another bubblewrap", "sandbox/test_files.py::test_only_the_systems_own_bubblewrap"),
    14: ("names that look like options", "sandbox/test_files.py::test_names_are_no_options",
         "sandbox/test_files.py::test_a_nul_is_refused"),
    # Processes, memory, descriptors
    20: ("the environment of others", "sandbox/test_processes.py::test_no_environment_of_others"),
    21: ("command lines that tell", "sandbox/test_processes.py::test_command_lines_show_no_workspace"),
    22: ("descriptors left open", "sandbox/test_processes.py::test_no_descriptor_of_the_runner",
         "sandbox/test_levels.py::test_each_worse_report_is_noticed"),
    23: ("a host's socket and memory", "sandbox/test_processes.py::test_a_forked_child_cannot_look_into_its_host"),
    24: ("looking into processes", "sandbox/test_processes.py::test_calls_that_are_refused",
         "sandbox/test_processes.py::test_the_same_where_restricted"),
    25: ("changing the interpreter", "sandbox/test_files.py::test_the_interpreter_cannot_be_changed",
         "sandbox/test_processes.py::test_no_program_is_started"),
    26: ("a daemon", "sandbox/test_processes.py::test_a_daemon_ends_with_its_run"),
    27: ("signals to others", "sandbox/test_processes.py::test_no_signal_reaches_others"),
    28: ("outliving a killed runner", "sandbox/test_processes.py::test_a_killed_runner_leaves_no_process"),
    29: ("new namespaces", "sandbox/test_processes.py::test_no_new_namespaces"),
    30: ("typing into a terminal", "sandbox/test_processes.py::test_no_typing_into_terminals"),
    31: ("the same with high bits", "sandbox/test_processes.py::test_no_typing_into_terminals"),
    32: ("other ways into the kernel", "sandbox/test_processes.py::test_every_call_of_the_table_is_refused",
         "sandbox/test_processes.py::test_other_ways_into_the_kernel"),
    # Sockets, network
    33: ("sockets of the desktop", "sandbox/test_network.py::test_nothing_is_reached"),
    34: ("abstract sockets", "sandbox/test_network.py::test_nothing_is_reached"),
    35: ("every kind of network", "sandbox/test_network.py::test_no_socket_of_any_kind",
         "sandbox/test_network.py::test_nothing_is_reached"),
    36: ("names that carry data out", "sandbox/test_network.py::test_no_name_is_resolved"),
    # Limits
    40: ("a fork bomb", "sandbox/test_limits.py::test_a_fork_bomb_is_stopped",
         "sandbox/test_limits.py::test_a_fork_bomb_is_watched_where_restricted"),
    41: ("memory of many processes", "sandbox/test_limits.py::test_memory_of_many_processes_is_watched"),
    42: ("filling what can be filled", "sandbox/test_limits.py::test_scratch_is_small"),
    43: ("endless files", "sandbox/test_limits.py::test_files_end_somewhere"),
    44: ("endless output", "sandbox/test_limits.py::test_output_is_kept_up_to_a_cap"),
    45: ("never ending", "engine/test_steps.py::test_a_step_that_takes_too_long_too_often_is_put_before_a_person"),
    48: ("special files", "sandbox/test_files.py::test_no_setuid_file_can_be_made"),
    49: ("setuid", "sandbox/test_files.py::test_no_setuid_file_can_be_made", "sandbox/test_files.py::test_modes_and_times_of_files_stay"),
    # Honesty and robustness
    65: ("forged frames", "engine/test_hostile.py::test_a_forged_frame_is_a_breach_and_leaves_no_trace",
         "engine/test_hostile.py::test_bytes_that_are_no_frame_end_the_connection"),
    70: ("each layer broken", "sandbox/test_levels.py::test_without_bubblewrap",
         "sandbox/test_levels.py::test_a_bubblewrap_that_does_nothing",
         "sandbox/test_levels.py::test_a_bubblewrap_that_fails", "sandbox/test_levels.py::test_landlock_of_other_kernels",
         "sandbox/test_levels.py::test_each_missing_wall_is_noticed", "sandbox/test_levels.py::test_a_run_is_never_lowered",
         "sandbox/test_levels.py::test_an_unfit_host_gets_nothing"),
    71: ("user namespaces refused", "sandbox/test_levels.py::test_a_bubblewrap_that_fails"),
    72: ("leftovers", "sandbox/test_hosts.py::test_nothing_is_left_after_a_run", "sandbox/test_hosts.py::test_fifty_hosts_at_once"),
    73: ("honest work", "sandbox/test_files.py::test_honest_work_still_works"),
}
# fmt: on
