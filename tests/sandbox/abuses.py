"""The list of abuses, T1 to T74: what is tried, and which tests stand for it, by their place beneath tests/.

One line each; tests/house/test_abuses.py holds it against the tests that there are. T15 to T19, T58 and T59 do not exist. A number
in `LATER` has no test yet, or not for all that it says: whoever writes one fills the line and takes the number out.
"""

LATER = {5, 6, 7, 8, 10, 11, 12, 23, 30, 37, 38, 39, 42, 44, 46, 49, 61, 62, 63,
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
    43: ("endless files", "sandbox/test_limits.py::test_files_end_somewhere",
         "stage/test_diffing.py::test_a_terabyte_of_nothing_is_judged_by_its_size",
         "stage/test_diffing.py::test_more_than_is_looked_through_is_refused"),
    44: ("endless output", "sandbox/test_limits.py::test_output_is_kept_up_to_a_cap"),
    45: ("never ending", "engine/test_steps.py::test_a_step_that_takes_too_long_too_often_is_put_before_a_person"),
    47: ("deep folders, long and odd names", "stage/test_diffing.py::test_five_hundred_folders_in_one_another",
         "stage/test_diffing.py::test_names_of_every_length_and_encoding"),
    48: ("special files", "sandbox/test_files.py::test_no_setuid_file_can_be_made",
         "stage/test_diffing.py::test_what_is_no_file_is_told_and_never_opened",
         "stage/test_diffing.py::test_a_file_that_a_pipe_has_replaced"),
    49: ("setuid", "sandbox/test_files.py::test_no_setuid_file_can_be_made", "sandbox/test_files.py::test_modes_and_times_of_files_stay"),
    # What runs later, names
    50: ("data of git", "stage/test_diffing.py::test_files_that_are_never_changed",
         "stage/test_diffing.py::test_a_folder_that_becomes_a_repository",
         "inbox/test_confirming.py::test_a_file_that_is_never_changed_is_put_before_nobody"),
    51: ("settings of git that run something", "stage/test_diffing.py::test_nothing_is_run_on_what_a_run_has_written"),
    52: ("making a protected file", "policy/test_file_classes.py::test_files_that_run_later",
         "inbox/test_confirming.py::test_each_is_confirmed_by_its_number"),
    53: ("protected files at every depth", "policy/test_file_classes.py::test_files_that_run_later",
         "policy/test_file_classes.py::test_files_that_no_effect_may_touch"),
    54: ("names that are others to some system", "stage/test_diffing.py::test_names_that_some_system_takes_for_others",
         "stage/test_diffing.py::test_two_new_names_that_are_one_to_some_system",
         "stage/test_names.py::test_names_that_are_refused_with_a_reason"),
    55: ("signs that hide", "stage/test_diffing.py::test_sentences_spell_out_what_hides",
         "previews/test_texts.py::test_what_hides_or_reorders_is_spelled_out",
         "cli/test_file_sheet.py::test_differences_are_evidence",
         "desktop/test_gate_files.py::test_names_that_deceive_are_spelled_out"),
    56: ("types that change", "stage/test_diffing.py::test_file_becomes_folder", "stage/test_diffing.py::test_folder_becomes_file",
         "stage/test_diffing.py::test_folder_becomes_link_and_nothing_beneath_is_removed", "stage/test_diffing.py::test_link_becomes_file"),
    57: ("becoming a program", "policy/test_file_classes.py::test_what_a_file_holds_can_make_it_run_later",
         "stage/test_diffing.py::test_becoming_a_program_is_a_change_of_its_own"),
    # Approval and apply
    60: ("a copy that is written to after it was shown", "stage/test_diffing.py::test_what_is_shown_is_what_was_taken_in",
         "stage/test_own_changes.py::test_what_was_said_once_is_said_again_however_the_copy_goes_on"),
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
