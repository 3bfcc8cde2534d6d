@echo off
rem The twin of packaging/test for Windows: set-up, then every check. Not yet run on a Windows machine.
rem usage: packaging\test.cmd [pytest arguments]
setlocal EnableExtensions
pushd "%~dp0.." || exit /b 1
call packaging\setup.cmd test
if errorlevel 1 exit /b 1
set "PATH=%CD%\.venv\Scripts;%PATH%"
if not defined QT_QPA_PLATFORM set "QT_QPA_PLATFORM=offscreen"
set "CODE=0"

call :stage ruff check .
call :stage ruff format --check .
call :stage mypy
call :stage mypy workflows\tidy-folder\workflow.py
call :stage mypy workflows\weekly-report\workflow.py
call :stage mypy workflows\triage-mail\workflow.py
call :stage mypy workflows\contract-review\workflow.py
call :stage mypy workflows\ask-approval\workflow.py
call :stage lint-imports
if not "%~1"=="" (
  call :stage pytest %*
  goto end
)
if exist tests\kill call :stage pytest -s tests/kill
if exist tests\benchmarks call :stage pytest -s tests/benchmarks
call :stage pytest tests --ignore=tests/kill --ignore=tests/benchmarks

:end
popd
exit /b %CODE%

:stage
>&2 echo == %*
%*
set "RESULT=%ERRORLEVEL%"
if not "%RESULT%"=="0" if "%CODE%"=="0" set "CODE=%RESULT%"
exit /b 0
